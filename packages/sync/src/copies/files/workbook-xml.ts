// Builds the parts of a workbook (XML files in its archive) that exist once for all sheets: the list of sheets, their
// paths, the styles, and the content types. The library hucre writes these parts only for the workbook of one table.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument'
/** ID of the first number format. The standard reserves the lower IDs. */
const FIRST_FORMAT_ID = 164

/** A sheet, and the range of its filter, such as `A1:Z100`. */
export interface SheetEntry {
  readonly name: string
  readonly filter: string
}

/** Returns the part that lists the sheets and their filters. The names of tables need no escaping. */
export function workbookXml(entries: readonly SheetEntry[]): string {
  const sheets = entries.map(({ name }, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
  const filters = entries.map(({ name, filter }, at) => {
    // Excel writes such a hidden name for each filter. Its cells are absolute: `A1:Z100` becomes `$A$1:$Z$100`.
    const cells = filter.replaceAll(/([A-Z]+)(\d+)/g, '$$$1$$$2')
    return `<definedName name="_xlnm._FilterDatabase" localSheetId="${at}" hidden="1">'${name}'!${cells}</definedName>`
  })
  const names = `<definedNames>${filters.join('')}</definedNames>`
  return `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets.join('')}</sheets>${names}</workbook>`
}

/** Returns the part with the paths of the sheets, the styles and the theme. */
export function workbookRelationsXml(sheets: number): string {
  const files = [
    ...numbers(sheets).map((each) => ['worksheet', `worksheets/sheet${each}.xml`]),
    ['styles', 'styles.xml'],
    ['theme', 'theme/theme1.xml'],
  ]
  const relations = files.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  )
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}</Relationships>`
}

/** Returns the number of the header style, which follows the styles of `formats`. */
export function headerStyle(formats: readonly string[]): number {
  return formats.length + 1
}

/**
 * Returns the part with the cell styles: number 0 has no format, then one style for each format, then the header style.
 */
export function stylesXml(formats: readonly string[]): string {
  const plain = 'fontId="0" fillId="0" borderId="0"'
  // The format reserves the first two fills for these patterns, so the header's fill is number 2.
  const fills = ['none', 'gray125'].map((pattern) => `<fill><patternFill patternType="${pattern}"/></fill>`)
  const gray =
    '<fill><patternFill patternType="solid"><fgColor rgb="FFE7E6E6"/><bgColor indexed="64"/></patternFill></fill>'
  const header = '<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="true" applyFill="true"/>'
  const font = '<sz val="11"/><name val="Calibri"/>'
  const own = formats.map((code, index) => ({ code, id: FIRST_FORMAT_ID + index }))
  const codes = own.map(({ code, id }) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`)
  const cells = own.map(({ id }) => `<xf numFmtId="${id}" ${plain} xfId="0" applyNumberFormat="true"/>`)
  const parts = [
    `<numFmts count="${codes.length}">${codes.join('')}</numFmts>`,
    `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>`,
    `<fills count="3">${fills.join('')}${gray}</fills>`,
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    `<cellStyleXfs count="1"><xf numFmtId="0" ${plain}/></cellStyleXfs>`,
    `<cellXfs count="${cells.length + 2}"><xf numFmtId="0" ${plain} xfId="0"/>${cells.join('')}${header}</cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
  ]
  return `${HEAD}<styleSheet xmlns="${MAIN}">${parts.join('')}</styleSheet>`
}

/** Returns the part with the content type of each part. */
export function contentTypesXml(sheets: number): string {
  const parts = [
    ['/xl/workbook.xml', 'spreadsheetml.sheet.main'],
    ...numbers(sheets).map((each) => [`/xl/worksheets/sheet${each}.xml`, 'spreadsheetml.worksheet']),
    ['/xl/styles.xml', 'spreadsheetml.styles'],
    ['/xl/theme/theme1.xml', 'theme'],
  ]
  const overrides = parts.map(([name, type]) => `<Override PartName="${name}" ContentType="${TYPE}.${type}+xml"/>`)
  const defaults =
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>'
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types">${defaults}${overrides.join('')}</Types>`
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
