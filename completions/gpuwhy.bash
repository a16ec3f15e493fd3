# Completion of gpuwhy's command lines for bash: the program itself knows what may come next.
_gpuwhy() {
	local word=${COMP_WORDS[COMP_CWORD]} line
	local -a offered
	COMPREPLY=()
	mapfile -t offered < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	for line in "${offered[@]}"; do
		case $line in
		:files)
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word")
			while IFS= read -r line; do
				case $line in
				*.sqlite | *.sqlite3 | *.db | *.sqlite.gz | *.sqlite.zst | *.nsys-rep) COMPREPLY+=("$line") ;;
				esac
			done < <(compgen -f -- "$word")
			;;
		:any)
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
			;;
		*) COMPREPLY+=("$line") ;;
		esac
	done
}
complete -F _gpuwhy gpuwhy
