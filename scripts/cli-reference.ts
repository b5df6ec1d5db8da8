// Describes the commands of a program with their arguments and options, as data and as a Markdown page.

import type { Command } from './programs.ts'

type Option = Command['options'][number]

/** A command that runs, unlike a group of commands. */
export interface CommandReference {
  /** The command with the program's name, such as `store-export keys create`. */
  readonly path: string
  readonly description: string
  readonly arguments: Command['registeredArguments']
  readonly options: readonly Option[]
}

/** Returns all commands of a program, in the order of its help. A command that only groups others is left out. */
export function commandsOf(program: Command): CommandReference[] {
  return program.commands.flatMap((command) => commandAndSubcommands(command, program.name()))
}

function commandAndSubcommands(command: Command, parents: string): CommandReference[] {
  const path = `${parents} ${command.name()}`
  const subcommands = command.commands.flatMap((each) => commandAndSubcommands(each, path))
  const isGroup = subcommands.length > 0 && command.options.length === 0
  if (isGroup) return subcommands
  const reference = {
    path,
    description: command.description(),
    arguments: command.registeredArguments,
    options: command.options.filter(({ hidden }) => !hidden),
  }
  return [reference, ...subcommands]
}

/** The text of a page besides the commands and options. */
export interface PageText {
  /** Paragraphs, with an empty line between them. */
  readonly intro: string
  /** The common help. */
  readonly help: string
  /** A complete call of some commands, by the command without the program's name. */
  readonly examples?: Readonly<Record<string, string>>
}

/** Returns the page of a program: `intro`, then the common help as a list, then a section for each command. */
export function commandsPage(program: Command, { intro, help, examples = {} }: PageText): string {
  const notes = help.split('\n').filter((line) => line.trim() !== '')
  return [
    `# ${program.name()} commands`,
    ...intro.split('\n\n').map((paragraph) => wrapped(paragraph)),
    [
      ...notes.map((line) => (LIST.test(line) ? withCodeItems(line) : withCode(line))),
      `\`--help\` prints the options of a command. \`${program.name()} --version\` prints the version.`,
    ]
      .map((note) => wrapped(`- ${note}`, '  '))
      .join('\n'),
    ...commandsOf(program).map((each) => commandSection(each, examples[each.path.slice(program.name().length + 1)])),
  ].join('\n\n')
}

function commandSection({ path, description, arguments: args, options }: CommandReference, example?: string): string {
  const usage = [
    path,
    ...args.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`)),
    ...options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags),
    ...(options.some((option) => !option.mandatory && !isCommonOption(option)) ? ['[options]'] : []),
  ]
  const rows = [
    ...args.map((each) => [`\`<${each.name()}>\``, sentence(each.description)]),
    ...options
      .filter((option) => !isCommonOption(option))
      .map((option) => [`\`${option.flags}\``, optionMeaning(option)]),
  ].map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  const table = rows.length === 0 ? [] : [['| Option | Meaning |', '| --- | --- |', ...rows].join('\n')]
  const parts = [`## ${path}`, wrapped(sentence(description)), codeBlock(usage.join(' ')), ...table]
  return [...parts, ...(example === undefined ? [] : [`For example:\n\n${codeBlock(example)}`])].join('\n\n')
}

/** Whether the common help of `store-export` explains the option, so that no command has to. */
function isCommonOption({ long, description }: Option): boolean {
  return long === '--json' && description === 'print the result as JSON'
}

const COLUMNS = 100

/**
 * Returns the text in lines of at most `COLUMNS` characters, without breaks in code. All lines except the first start
 * with `indent`.
 */
function wrapped(text: string, indent = ''): string {
  const lines = ['']
  for (const word of text.match(/(?:`[^`]*`|[^ `])+/g) ?? []) {
    const line = lines.at(-1) ?? ''
    if (line.trim() !== '' && line.length + 1 + word.length > COLUMNS) lines.push(indent + word)
    else lines[lines.length - 1] = line.trim() === '' ? line + word : `${line} ${word}`
  }
  return lines.join('\n')
}

function codeBlock(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``
}

function optionMeaning({ description, mandatory, defaultValue, argChoices }: Option): string {
  const facts = [
    ...(mandatory ? ['Required.'] : []),
    ...(argChoices === undefined ? [] : [choicesMeaning(argChoices)]),
    ...(defaultValue === undefined ? [] : [`Default: \`${String(defaultValue)}\`.`]),
  ]
  return [sentence(description), ...facts].join(' ')
}

function choicesMeaning(choices: readonly string[]): string {
  const values = choices.map((choice) => `\`${choice}\``)
  return values.length === 1 ? `Only ${values[0]} is accepted.` : `One of ${values.join(', ')}.`
}

/** Returns the text with an uppercase first letter, a period at the end, and options and variables as code. */
export function sentence(text: string): string {
  const capitalized = text.replace(/^[a-z]/, (letter) => letter.toUpperCase())
  return `${withCode(capitalized)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** A line of the common help that lists values: a label, a colon, and words that are separated by commas. */
const LIST = /^[A-Z][a-z]+: [^ ,]+(?:, [^ ,]+)+$/

/** Returns the line with each value as code. */
function withCodeItems(line: string): string {
  const [label = '', values = ''] = line.split(/: (.*)/)
  return `${label}: ${values
    .split(', ')
    .map((value) => `\`${value}\``)
    .join(', ')}`
}

/** Returns the text with options, variables, destinations, paths, and JSON as code. */
function withCode(text: string): string {
  return text.replaceAll(
    /(?<![\w`])(--to singer|--[a-z][a-z-]*|STORE_[A-Z_]+|\{"error".*\}|(?:sqlite|duckdb|csv|xlsx|parquet|env):[A-Z]+|(?:postgres|mysql):\/\/[^ ,;)]+|singer(?=,|$)|<[a-z]+>\/[^ ,;)]*|docs\/[\w/.-]+\.md)/g,
    '`$1`',
  )
}
