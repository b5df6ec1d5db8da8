// Formats Markdown for the reports of the benchmarks.

const COLUMNS = 100

/** Returns a table. All columns except the first `left` are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], left = 1): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`
  return line(head) + line(head.map((_, index) => (index < left ? '---' : '---:'))) + rows.map(line).join('')
}

/** Returns a whole number with a comma between thousands. */
export function count(number: number): string {
  return number.toLocaleString('en')
}

/** Returns a time in ms, with three decimals below 1 ms and with two from 1 ms on. */
export function milliseconds(time: number): string {
  return time < 1 ? time.toFixed(3) : time.toFixed(2)
}

/**
 * Returns the page with its paragraphs and list items wrapped. Tables, headings, and comments keep their lines. The
 * page must not have code blocks.
 */
export function wrapped(page: string): string {
  return page.split('\n\n').map(wrappedBlock).join('\n\n')
}

function wrappedBlock(block: string): string {
  if (/^\n*[|#<]/.test(block)) return block
  const items = block.split(/\n(?=- )/)
  return items.map(wrappedItem).join('\n')
}

function wrappedItem(item: string): string {
  const [start = ''] = /^\n*/.exec(item) ?? []
  const [end = ''] = /\n*$/.exec(item) ?? []
  const indent = item.trimStart().startsWith('- ') ? '  ' : ''
  let line = ''
  const lines: string[] = []
  for (const word of item.trim().split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > COLUMNS) {
      lines.push(line)
      line = indent + word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return start + [...lines, line].join('\n') + end
}
