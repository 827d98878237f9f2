// The completion script of each shell. It passes the unchanged words to svc and prints one candidate per line. Without candidates the shell
// offers files. No script evaluates a word, because a command in it would run at the tab key. The scripts of @bomb.sh/tab do evaluate
// words.
import { completing } from '../config.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export const completionScripts: Record<Shell, string> = {
  bash: `# In .bashrc: source <(svc completion bash)
_svc() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(${completing}=2 svc "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _svc svc`,
  zsh: `#compdef svc
# In .zshrc, once compinit has run: source <(svc completion zsh)
_svc() {
  local -a found
  found=("\${(@f)$(${completing}=2 svc "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found:#}")
  if (( ! $#found )); then
    _files
    return
  fi
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found//$'\\t'/:}")
  _describe svc found
}
compdef _svc svc`,
  fish: `# In config.fish: svc completion fish | source
function __svc_complete
  set -l typed (commandline -opc)
  set -e typed[1]
  set -l current (commandline -ct)
  set -l found (${completing}=2 svc $typed "$current" 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c svc -f -a '(__svc_complete)'`,
};
