import { parse } from 'shell-quote'

/** What ends a command and begins another. */
const SEPARATORS: ReadonlySet<string> = new Set(['|', '|&', '||', '&&', ';', '&', '(', ')', ';;'])
const SUBSTITUTION = /\$\(([^()]*)\)/g

/** The arguments of each `alcove` that a script runs. What the shell would put in for a variable stays `$name`. */
export function alcoveCommands(script: string): string[][] {
  return logicalLines(script).flatMap((line) => {
    const inner = [...line.matchAll(SUBSTITUTION)].flatMap(([, command = '']) => alcoveCommands(command))
    const words = commandsOf(line.replaceAll(SUBSTITUTION, '$SUBSTITUTION'))
    return [...inner, ...words.map(argumentsOf).filter((args) => args !== undefined)]
  })
}

/** Lines as the shell reads them: a backslash, or a quotation mark that is open, takes the next line in. */
function logicalLines(script: string): string[] {
  const lines: string[] = []
  let rest = ''
  let end: string | undefined
  for (const line of script.split('\n')) {
    if (end !== undefined) {
      if (line.trim() === end) end = undefined
      continue
    }
    rest += line
    if (/(^|[^\\])(\\\\)*\\$/.test(rest)) rest = rest.slice(0, -1)
    else if (isOpen(rest)) rest += '\n'
    else {
      end = /<<-?\s*['"]?(\w+)/.exec(rest)?.[1]
      lines.push(rest)
      rest = ''
    }
  }
  return rest === '' ? lines : [...lines, rest]
}

/** Whether a quotation has not come to its end. A comment has none. */
function isOpen(text: string): boolean {
  const quoted = /\\.|'[^']*'|"(?:\\.|[^"\\])*"|(?:^|\s)#.*/gs
  return /['"]/.test(text.replaceAll(quoted, ''))
}

/** The words of each command of a line, without redirections and comments. */
function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]]
  let isTarget = false
  for (const word of parse(line, (name) => `$${name}`)) {
    if (typeof word === 'string') {
      if (!isTarget) commands.at(-1)?.push(word)
      isTarget = false
    } else if ('comment' in word) {
      break
    } else if (word.op === 'glob') {
      commands.at(-1)?.push(word.pattern)
    } else if (SEPARATORS.has(word.op)) commands.push([])
    else isTarget = true
  }
  return commands
}

/** What stands behind `alcove`, `npx alcove` and `VARIABLE=value alcove`; `undefined` for other commands. */
function argumentsOf(words: readonly string[]): string[] | undefined {
  const first = words.findIndex((word) => !/^(\$|[A-Z_][A-Z0-9_]*=.*|npx|--yes|-y|sudo|time|exec)$/s.test(word))
  return words[first] === 'alcove' ? words.slice(first + 1) : undefined
}
