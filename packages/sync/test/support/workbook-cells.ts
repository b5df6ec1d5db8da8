// Reads the raw cells of a workbook with Python's standard library.

import { spawnSync } from 'node:child_process'

/** Prints the sheets in order, each cell as [type, format, text]. */
const PYTHON = `
import json, re, sys, zipfile
import xml.etree.ElementTree as tree
M = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
R = '{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id'
book = zipfile.ZipFile(sys.argv[1])
assert book.testzip() is None
def part(name):
    return tree.fromstring(book.read(name))
def unescape(text):
    return re.sub('_x([0-9A-Fa-f]{4})_', lambda found: chr(int(found[1], 16)), text)
types = {each.get('PartName') for each in part('[Content_Types].xml') if each.get('PartName')}
assert types <= {'/' + name for name in book.namelist()}, types
targets = {each.get('Id'): each.get('Target') for each in part('xl/_rels/workbook.xml.rels')}
formats = {each.get('numFmtId'): each.get('formatCode') for each in part('xl/styles.xml').iter(M + 'numFmt')}
formats['2'] = '0.00'
fonts = [each.find(M + 'b') is not None for each in part('xl/styles.xml').find(M + 'fonts')]
bold = [fonts[int(each.get('fontId'))] for each in part('xl/styles.xml').find(M + 'cellXfs')]
styles = [formats.get(each.get('numFmtId')) for each in part('xl/styles.xml').find(M + 'cellXfs')]
sheets = []
for sheet in part('xl/workbook.xml').find(M + 'sheets'):
    content = part('xl/' + targets[sheet.get(R)])
    rows = []
    for row in content.find(M + 'sheetData'):
        cells = {}
        for cell in row:
            column = re.match('[A-Z]+', cell.get('r'))[0]
            texts = [each.text or '' for each in cell.iter() if each.tag in (M + 't', M + 'v')]
            style = styles[int(cell.get('s', '0'))]
            if texts: cells[column] = [cell.get('t', 'n'), style, unescape(texts[0])]
        rows.append(cells)
    pane = content.find('.//' + M + 'pane')
    found = content.find(M + 'autoFilter')
    first = next(iter(content.find(M + 'sheetData')), [])
    looks = {each.get('s', '0') for each in first}
    sheets.append({'name': sheet.get('name'), 'rows': rows, 'frozen': pane is not None and pane.get('ySplit'),
                   'filter': found is not None and found.get('ref'), 'isBold': all(bold[int(each)] for each in looks)})
print(json.dumps(sheets))`
export const hasPython = spawnSync('python3', ['--version']).status === 0
export const TIMESTAMP_FORMAT = 'yyyy-mm-dd hh:mm:ss.000'
const DAY_MS = 86_400_000

/** A cell in the file. The format is null if it has none. */
type CellRead = readonly [type: string, format: string | null, text: string]
/** A sheet in the file. `frozen` is the number of frozen rows. */
interface SheetRead {
  readonly name: string
  readonly frozen: string | null
  readonly filter: string | null
  readonly isBold: boolean
  readonly rows: readonly Record<string, CellRead>[]
}

export function readSheets(file: string): SheetRead[] {
  const python = spawnSync('python3', ['-c', PYTHON, file], { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (python.status !== 0) throw new Error(python.stderr)
  return JSON.parse(python.stdout)
}

export function rowsOf(file: string, name: string): Record<string, CellRead | null>[] {
  const [header = {}, ...rows] = readSheets(file).find((sheet) => sheet.name === name)?.rows ?? []
  return rows.map((row) =>
    Object.fromEntries(Object.entries(header).map(([column, [, , title]]) => [title, row[column] ?? null])),
  )
}

/** Returns the value of a cell as the service sent it. */
export function sentText(cell: CellRead | null): string | null {
  if (cell === null) return null
  const [type, format, text] = cell
  if (type === 'n' && format === TIMESTAMP_FORMAT) return timestampOf(Number(text))
  return type === 'n' && format === '0.00' ? Number(text).toFixed(2) : text
}

/** Converts a date number of ECMA-376, where day 60 is the nonexistent 29 February 1900. */
function timestampOf(day: number): string {
  if (!(day > 60)) throw new Error(`programs disagree on day ${day}`)
  return new Date(Date.UTC(1900, 0, 1) + Math.round((day - 2) * DAY_MS)).toISOString()
}
