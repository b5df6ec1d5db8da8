// Keeps the sheet "Orders" up to date. In the sheet: Extensions, Apps Script, paste this. Then Project settings, Script
// properties: add STORE_EXPORT_KEY. Run syncOrders once, and add a time-driven trigger for it.
const ADDRESS = 'https://api.example.com/api/v1/orders'
const TRIES_MAX = 6
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
  // the run before is still at it
  if (!LockService.getScriptLock().tryLock(1000)) return
  const properties = PropertiesService.getScriptProperties()
  const { orders, next } = changedOrders(properties.getProperty('ORDERS_SINCE') || '1970-01-01T00:00:00.000Z')
  writeOrders(orders)
  // only now: a run that failed is made up for by the next one
  properties.setProperty('ORDERS_SINCE', next)
}

// The orders, and from when the next run asks.
function changedOrders(since) {
  const orders = []
  for (let cursor = null; ; ) {
    const { page, watermark } = getPage(since, cursor)
    orders.push(...page.data)
    if (!page.meta.has_more) return { orders, next: watermark }
    cursor = page.meta.next_cursor
  }
}

function getPage(since, cursor) {
  const key = PropertiesService.getScriptProperties().getProperty('STORE_EXPORT_KEY')
  const place = cursor === null ? '' : '&cursor=' + encodeURIComponent(cursor)
  const url = ADDRESS + '?limit=250&updated_since=' + encodeURIComponent(since) + place
  for (let attempt = 1; ; attempt++) {
    const response = UrlFetchApp.fetch(url, { headers: { 'x-api-key': key }, muteHttpExceptions: true })
    const status = response.getResponseCode()
    const names = Object.entries(response.getHeaders()).map(([name, value]) => [name.toLowerCase(), value])
    const headers = Object.fromEntries(names)
    if (status === 200)
      return { page: JSON.parse(response.getContentText('UTF-8')), watermark: headers['x-sync-watermark'] }
    if (![409, 429, 502].includes(status) || attempt === TRIES_MAX)
      throw new Error('stopped with status ' + status + ': ' + response.getContentText('UTF-8'))
    const retryAfter = Number(headers['retry-after'] || 1)
    Utilities.sleep(1000 * (status === 429 ? retryAfter : 2 ** (attempt - 1)))
  }
}

// Puts each order in the row that has its id, or below the last one.
function writeOrders(orders) {
  const file = SpreadsheetApp.getActiveSpreadsheet()
  const sheet = file.getSheetByName('Orders') || file.insertSheet('Orders')
  const names = Object.keys(COLUMNS)
  const kept = Math.max(sheet.getLastRow() - 1, 0)
  const rows = kept === 0 ? [] : sheet.getRange(2, 1, kept, names.length).getValues()
  const placeOf = new Map(rows.map(([id], place) => [id, place]))
  for (const order of orders) {
    const place = placeOf.has(order.id) ? placeOf.get(order.id) : rows.length
    placeOf.set(order.id, place)
    rows[place] = names.map((name) => COLUMNS[name](order))
  }
  const cells = [names, ...rows].map((row) => row.map(asCell))
  const missing = cells.length - sheet.getMaxRows()
  if (missing > 0) sheet.insertRowsAfter(sheet.getMaxRows(), missing)
  sheet.getRange(1, 1, cells.length, names.length).setValues(cells)
}

// A text that begins like a formula stays a text.
function asCell(value) {
  if (value === null) return ''
  return typeof value === 'string' && /^[=+\-@']/.test(value) ? "'" + value : value
}
