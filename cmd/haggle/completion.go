package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completing is the argument with which a shell asks for candidates. The words of the command line up to the cursor follow it,
// and the last word is the one to complete.
const completing = "__complete"

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

// completionScripts call the program for candidates. Bash splits words at "=".
var completionScripts = map[string]string{
	"bash": `_haggle() {
	local IFS=$'\n'
	COMPREPLY=($("${COMP_WORDS[0]}" ` + completing + ` "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
	if [ ${#COMPREPLY[@]} -eq 0 ]; then
		compopt -o default
	elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
		compopt -o nospace
	fi
}
complete -F _haggle haggle
`,
	"zsh": `#compdef haggle
_haggle() {
	local -a found
	found=("${(@f)$("${words[1]}" ` + completing + ` "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	found=(${found:#})
	if (( ${#found} )); then
		compadd -Q -S '' -- ${(M)found:#*=}
		compadd -- ${found:#*=}
	else
		_files
	fi
}
if [ "$funcstack[1]" = "_haggle" ]; then
	_haggle "$@"
else
	compdef _haggle haggle
fi
`,
	"fish": `complete -c haggle -a '(haggle ` + completing + ` (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

func (c completionCmd) Run() error {
	fmt.Print(completionScripts[c.Shell])
	return nil
}

// candidates returns the completions of the last word. It returns none if the word is a file name or free text.
func candidates(root *kong.Node, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	node := root
	var flag *kong.Flag // the flag that the last word is the value of
	for _, word := range before {
		switch {
		case word == "=":
		case flag != nil:
			flag = nil
		case strings.HasPrefix(word, "-"):
			if name, _, valued := strings.Cut(word, "="); !valued {
				flag = valuedFlag(node, name)
			}
		case word == "help" && node == root:
		default:
			if child := childOf(node, word); child != nil {
				node = child
			}
		}
	}
	if last == "=" { // Bash splits --env=
		last = ""
	}
	if flag != nil {
		return beginning(flag.EnumSlice(), last)
	}
	if name, value, valued := strings.Cut(last, "="); valued && strings.HasPrefix(last, "-") {
		if flag = valuedFlag(node, name); flag == nil {
			return nil
		}
		var all []string
		for _, v := range beginning(flag.EnumSlice(), value) {
			all = append(all, name+"="+v)
		}
		return all
	}
	if strings.HasPrefix(last, "-") {
		return beginning(flagNames(node), last)
	}
	var all []string
	for _, child := range node.Children {
		if !child.Hidden {
			all = append(all, child.Name)
		}
	}
	for _, p := range node.Positional {
		all = append(all, p.EnumSlice()...)
	}
	return beginning(all, last)
}

func childOf(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

// valuedFlag returns the flag with the name, or nil if there is none or it takes no value.
func valuedFlag(node *kong.Node, name string) *kong.Flag {
	for _, flags := range node.AllFlags(true) {
		for _, f := range flags {
			if "--"+f.Name == name && !f.IsBool() {
				return f
			}
		}
	}
	return nil
}

// flagNames returns the flags of a command, with "=" after those that take a value.
func flagNames(node *kong.Node) (all []string) {
	for _, flags := range node.AllFlags(true) {
		for _, f := range flags {
			name := "--" + f.Name
			if !f.IsBool() {
				name += "="
			}
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func beginning(all []string, with string) (some []string) {
	for _, one := range all {
		if one != "" && strings.HasPrefix(one, with) {
			some = append(some, one)
		}
	}
	return some
}
