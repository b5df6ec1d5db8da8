// Keeps the sheet "Orders" up to date.
// 1. In the spreadsheet, open Extensions > Apps Script and paste this code.
// 2. Open Project settings > Script properties and add STORE_EXPORT_KEY with your key.
// 3. Run syncOrders once, then add a time-driven trigger for it.
// The script properties ORDERS_SINCE and ORDERS_CURSOR store the progress. The next run continues there if a run fails, or
// if Google stops it.
const ADDRESS = 'https://api.example.com/api/v1/orders'
const ATTEMPTS_MAX = 6
// Google stops a script after six minutes.
const RUN_MS = 4 * 60000
const COLUMNS = {
  id: (order) => order.id,
  created_at: (order) => order.created_at,
  updated_at: (order) => order.updated_at,
  status: (order) => order.status,
  email: (order) => order.email,
  items: (order) => order.items.length,
  total: (order) => Number(order.total),
  currency: (order) => order.currency,
}

function syncOrders() {
  // The previous run is still active.
  if (!LockService.getScriptLock().tryLock(1000)) return
  const properties = PropertiesService.getScriptProperties()
  let sheet = null
  const until = Date.now() + RUN_MS
  let since = properties.getProperty('ORDERS_SINCE') || '1970-01-01T00:00:00.000Z'
  let cursor = properties.getProperty('ORDERS_CURSOR') || ''
  do {
    const { page, watermark } = getPage(since, cursor)
    sheet = sheet || openSheet()
    writeOrders(sheet, page.data)
    cursor = page.meta.next_cursor || ''
    // Save the watermark only when all pages are written.
    if (cursor === '') since = watermark
    properties.setProperties({ ORDERS_SINCE: since, ORDERS_CURSOR: cursor })
  } while (cursor !== '' && Date.now() < until)
}

function getPage(since, cursor) {
  const key = PropertiesService.getScriptProperties().getProperty('STORE_EXPORT_KEY')
  const query = '?limit=250&updated_since=' + encodeURIComponent(since)
  const url = ADDRESS + query + (cursor === '' ? '' : '&cursor=' + encodeURIComponent(cursor))
  for (let attempt = 1; ; attempt++) {
    const { status, headers, text } = request(url, key)
    if (status === 200) return { page: JSON.parse(text), watermark: headers['x-sync-watermark'] }
    if (cursor !== '' && text.includes('INVALID_CURSOR')) return getPage(since, '')
    if (![0, 409, 429, 502, 503, 504].includes(status) || attempt === ATTEMPTS_MAX)
      throw new Error('stopped with status ' + status + ': ' + text)
    Utilities.sleep(1000 * Number(headers['retry-after'] || 2 ** (attempt - 1)))
  }
}

// Status 0 means that there was no response.
function request(url, key) {
  try {
    const response = UrlFetchApp.fetch(url, { headers: { 'x-api-key': key }, muteHttpExceptions: true })
    const names = Object.entries(response.getHeaders()).map(([name, value]) => [name.toLowerCase(), value])
    const text = response.getContentText('UTF-8')
    return { status: response.getResponseCode(), headers: Object.fromEntries(names), text }
  } catch (error) {
    return { status: 0, headers: {}, text: String(error) }
  }
}

function openSheet() {
  const file = SpreadsheetApp.getActiveSpreadsheet()
  const sheet = file.getSheetByName('Orders') || file.insertSheet('Orders')
  const names = Object.keys(COLUMNS)
  sheet.getRange(1, 1, 1, names.length).setValues([names])
  const rows = Math.max(sheet.getLastRow() - 1, 0)
  const ids = rows === 0 ? [] : sheet.getRange(2, 1, rows, 1).getValues()
  return { sheet, names, rowOf: new Map(ids.map(([id], at) => [id, at + 2])) }
}

// Writes each order into the row with its id, or below the last row.
function writeOrders({ sheet, names, rowOf }, orders) {
  const added = []
  const first = sheet.getLastRow() + 1
  for (const order of orders) {
    const cells = names.map((name) => asCell(COLUMNS[name](order)))
    const row = rowOf.get(order.id)
    if (row === undefined) {
      rowOf.set(order.id, first + added.length)
      added.push(cells)
    } else if (row >= first) added[row - first] = cells
    else sheet.getRange(row, 1, 1, names.length).setValues([cells])
  }
  if (added.length === 0) return
  const missing = first + added.length - 1 - sheet.getMaxRows()
  if (missing > 0) sheet.insertRowsAfter(sheet.getMaxRows(), missing)
  sheet.getRange(first, 1, added.length, names.length).setValues(added)
}

// Text that begins like a formula stays text.
function asCell(value) {
  if (value === null) return ''
  return typeof value === 'string' && /^[=+\-@']/.test(value) ? "'" + value : value
}
