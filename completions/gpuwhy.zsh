#compdef gpuwhy
# Completion of gpuwhy's command lines for zsh: the program itself knows what may come next.
_gpuwhy() {
	local line
	local -a offered
	for line in "${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		case $line in
		'') ;;
		:files) _files -g '*.(sqlite|sqlite3|db|sqlite.gz|sqlite.zst|nsys-rep)(-.)' ;;
		:any) _files ;;
		*) offered+=("$line") ;;
		esac
	done
	(( ${#offered} )) && compadd -- "${offered[@]}"
}
if [ "${funcstack[1]}" = _gpuwhy ]; then
	_gpuwhy "$@"
else
	(( ${+functions[compdef]} )) && compdef _gpuwhy gpuwhy
fi
