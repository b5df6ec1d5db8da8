// Reads a workbook by ECMA-376, without the library that wrote it: cells as a spreadsheet shows them, and date numbers
// as timestamps.

import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'

const CENTRAL = 0x02014b50
const END = 0x06054b50
/** Built-in format number 2 of the standard. */
const TWO_DIGITS = '0.00'
/** Finds the letters of a date format. */
const DAY = /[yd]/
const DAY_MS = 86_400_000
/** The standard counts 1 March 1900 as day 61. */
const DAY_61_MS = Date.UTC(1900, 2, 1)

/** Returns the rows of each sheet by the names in its first row, with null for a missing cell. */
export function readXlsx(file: string): Map<string, Record<string, string | null>[]> {
  const parts = partsOf(readFileSync(file))
  const part = (name: string) => parts.get(name) ?? fail(`the workbook has no ${name}`)
  const targets = new Map(
    tags(part('xl/_rels/workbook.xml.rels'), 'Relationship').map(({ attributes }) => [
      attributes.Id,
      attributes.Target,
    ]),
  )
  const formats = formatsOf(part('xl/styles.xml'))
  return new Map(
    tags(part('xl/workbook.xml'), 'sheet').map(({ attributes }) => {
      const sheet = part(`xl/${targets.get(attributes['r:id'] ?? '')}`)
      return [attributes.name ?? '', rowsOf(sheet, formats)]
    }),
  )
}

function rowsOf(sheet: string, formats: readonly (string | undefined)[]): Record<string, string | null>[] {
  const rows = tags(sheet, 'row').map(({ content }) =>
    Object.fromEntries(tags(content, 'c').map((cell) => [column(cell.attributes.r ?? ''), shown(cell, formats)])),
  )
  const [header = {}, ...others] = rows
  return others.map((row) =>
    Object.fromEntries(Object.entries(header).map(([at, name]) => [name ?? '', row[at] ?? null])),
  )
}

interface Tag {
  readonly attributes: Readonly<Record<string, string>>
  readonly content: string
}

/** Returns the elements with this name, which must not be nested. */
function tags(xml: string, name: string): Tag[] {
  const found = xml.matchAll(new RegExp(`<${name}((?:\\s[^>]*?)?)(?:/>|>([\\s\\S]*?)</${name}>)`, 'g'))
  return [...found].map(([, inner = '', content = '']) => ({
    attributes: Object.fromEntries([...inner.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
    content,
  }))
}

function shown({ attributes, content }: Tag, formats: readonly (string | undefined)[]): string | null {
  const [text] = [...tags(content, 't'), ...tags(content, 'v')]
  if (text === undefined) return null
  const plain = unescaped(text.content)
  if (attributes.t === 'b') return String(plain === '1')
  const format = formats[Number(attributes.s ?? 0)]
  const isNumber = attributes.t === undefined || attributes.t === 'n'
  if (!isNumber || format === undefined) return plain
  if (format === TWO_DIGITS) return Number(plain).toFixed(2)
  if (!DAY.test(format)) return fail(`nothing is known of the format ${format}`)
  return new Date(Math.round((Number(plain) - 61) * DAY_MS) + DAY_61_MS).toISOString()
}

function formatsOf(styles: string): (string | undefined)[] {
  const declared = new Map(tags(styles, 'numFmt').map(({ attributes }) => [attributes.numFmtId, attributes.formatCode]))
  declared.set('2', TWO_DIGITS)
  const [cells] = tags(styles, 'cellXfs')
  return tags(cells?.content ?? '', 'xf').map(({ attributes }) => declared.get(attributes.numFmtId))
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return (
    text
      // An XML parser converts CR LF and CR to LF.
      .replace(/\r\n?/g, '\n')
      .replace(/&(#x[0-9a-fA-F]+|#\d+|\w+);/g, (_, name: string) => {
        if (!name.startsWith('#')) return NAMED[name] ?? fail(`&${name}; is nothing`)
        return String.fromCodePoint(Number(name.replace('#x', '0x').replace('#', '')))
      })
      .replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  )
}

const column = (reference: string) => reference.replace(/\d+$/, '')

/** Returns the text of each part of the archive. */
function partsOf(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  if (end < 0 || bytes.readUInt32LE(end) !== END) fail('no archive')
  const parts = new Map<string, string>()
  let at = bytes.readUInt32LE(end + 16)
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (bytes.readUInt32LE(at) !== CENTRAL) fail('the directory of the archive is damaged')
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset))
    const name = bytes.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
    const local = bytes.readUInt32LE(at + 42)
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(begin, begin + bytes.readUInt32LE(at + 20))
    parts.set(name, (bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)).toString('utf8'))
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return parts
}

function fail(message: string): never {
  throw new Error(message)
}
