
use builtin;
use str;

set edit:completion:arg-completer[aov] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'aov'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'aov'= {
            cand --color 'When to colour text for people'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand completions 'Print the completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;completions'= {
            cand --color 'When to colour text for people'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'aov;help'= {
            cand completions 'Print the completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'aov;help;completions'= {
        }
        &'aov;help;help'= {
        }
    ]
    $completions[$command]
}
