# Completion of gpuwhy's command lines for fish: the program itself knows what may come next.
function __gpuwhy_next
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                for path in (__fish_complete_path (commandline -ct))
                    string match -rq '(/|\.sqlite|\.sqlite3|\.db|\.sqlite\.gz|\.sqlite\.zst|\.nsys-rep)(\t|$)' -- $path; and echo $path
                end
            case :any
                __fish_complete_path (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c gpuwhy -f -a '(__gpuwhy_next)'
