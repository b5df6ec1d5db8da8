// Draws the output of `npm start` as an SVG of a terminal. Stop `npm start` with Ctrl-C before the second command:
//
//   npm start 2>&1 | tee /tmp/out
//   npm run -s picture < /tmp/out > docs/images/terminal.svg
//
// The picture shows only the first characters of keys and passwords.

import { text } from 'node:stream/consumers'

/** Width of a character of the font, which has 14 pixels. */
const CHARACTER_PIXELS = 8.4
const LINE_PIXELS = 20
const MARGIN_PIXELS = 24
const BAR_PIXELS = 36
const COLORS = { plain: '#d7dae0', dim: '#8b93a1', good: '#7fd1a0', strong: '#ffffff', back: '#15181e', bar: '#1f242d' }
/** The headlines, and the command itself. */
const STRONG = /^(\$| {2}(The first start|Store data export) )/
/** The lines that say what the next command does, and the notes of packages/operator/src/demo/panel.ts. */
const DIM = /^ {2}(Request|Copy|Change|Other|Databases)\b/
const DOTS = ['#ff5f57', '#febc2e', '#28c840']

const lines = [
  '$ npm start',
  ...(await text(process.stdin))
    .replaceAll(/sdx_(\w{8})\w+/g, 'sdx_$1…')
    .replace(/^( *Sign-in +\S+ +\S{4})\S+$/m, '$1…')
    .trimEnd()
    .split('\n'),
]
const columns = Math.max(...lines.map((line) => line.length), 60)
const width = Math.ceil(columns * CHARACTER_PIXELS + 2 * MARGIN_PIXELS)
const height = lines.length * LINE_PIXELS + BAR_PIXELS + 2 * MARGIN_PIXELS
const font = `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14"`
const parts = [
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
  '<title>The terminal after npm start: steps, addresses, a key, a curl line and a store-sync line</title>',
  `<rect width="${width}" height="${height}" rx="10" fill="${COLORS.back}"/>`,
  `<path d="M0 ${BAR_PIXELS}V10a10 10 0 0 1 10-10H${width - 10}a10 10 0 0 1 10 10V${BAR_PIXELS}z" fill="${COLORS.bar}"/>`,
  ...DOTS.map((color, index) => `<circle cx="${24 + index * 20}" cy="18" r="6" fill="${color}"/>`),
  ...lines.map(lineOf),
  '</svg>',
]
process.stdout.write(`${parts.join('\n')}\n`)

function lineOf(line: string, index: number): string {
  const y = BAR_PIXELS + MARGIN_PIXELS + index * LINE_PIXELS + 4
  const escaped = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const marked = escaped.replace('✓', `<tspan fill="${COLORS.good}">✓</tspan>`)
  return `<text x="${MARGIN_PIXELS}" y="${y}" ${font} fill="${colorOf(line)}" xml:space="preserve">${marked}</text>`
}

/** Returns the color of a line by its text, because `npm start` writes no colors into a pipe. */
function colorOf(line: string): string {
  if (STRONG.test(line)) return COLORS.strong
  return DIM.test(line) ? COLORS.dim : COLORS.plain
}
