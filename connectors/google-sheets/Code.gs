/**
 * Copies a store into this spreadsheet: one tab for each table, with all columns.
 *
 * 1. Open Extensions > Apps Script, replace the code with this file, and save.
 * 2. Reload the spreadsheet, and choose Store export > Connect. It prompts for the API key.
 * 3. Choose Store export > Export now, and then Store export > Export every hour.
 *
 * Don't type into the tabs of the export, and don't sort them: read them with formulas in a tab of your own.
 *
 * @OnlyCurrentDoc
 */

/** Address of the service. If it is empty, Store export > Connect prompts for it. */
const SERVICE_URL = ''

const PAGE_ROWS = 250
const ATTEMPTS_MAX = 6
/** Statuses after which the same request can succeed. 0 means that no complete response arrived. */
const RETRIED = [0, 408, 409, 429, 502, 503, 504]
/**
 * Time in ms after which an execution requests no further page. Google stops a script after 6 minutes, and the last page
 * may have to wait for the network.
 */
const EXECUTION_MS = 4.5 * 60000
/** Time in ms after which another execution continues the export, in case Google has stopped this one. */
const WATCHDOG_MS = 10 * 60000
const CONTINUE_MS = 60000
/** Maximum age in ms of an export that continues. After this time, a new export begins, and reads each table again. */
const RUN_MS = 3600000
/**
 * Time in ms between two whole reads of a list, for lists whose changes don't show everything. An hour less than a day,
 * because a daily export does not start at exactly the same time.
 */
const WHOLE_EVERY_MS = 23 * 3600000
/** Limits of Google Sheets: cells of a spreadsheet, cells of a new tab, and characters of a cell. */
const CELLS_MAX = 10000000
const NEW_TAB_CELLS = 26000
const CELL_CHARACTERS_MAX = 50000
/** Maximum digits of a number that a spreadsheet stores exactly. */
const DIGITS_MAX = 15
/** Matches numbers that the script has turned into strings beginning with U+E000, because JavaScript would round them. */
const QUOTED_NUMBERS = /"\uE000(-?\d[\d.eE+-]{15,})"/g
/** Number of rows that are added to a tab when it is full. */
const ROWS_ADDED = 1000
/**
 * Maximum number of gaps between rows that are deleted one by one. With more gaps, sorting the empty rows to the end is
 * faster.
 */
const GAPS_MAX = 50
const HEADER_ROWS = 1
/** Day numbers of the spreadsheet: 1970-01-01, the first day that all spreadsheet programs count alike, 9999-12-31. */
const EPOCH_DAY = 25569
const FIRST_DAY = 61
const LAST_DAY = 2958465
const DAY_MS = 24 * 3600000
const STATUS_TAB = 'Store export'
/** The last column of each tab: start of the pass in which the row was last read. */
const MARK_COLUMN = 'synced_at'
const FORMATS = { money: '0.00', timestamp: 'yyyy-mm-dd hh:mm:ss' }

// Generated: tables.

// Generated from the contract. Do not edit: change the contract and run `npm run generate`.
const TABLES = [
  { name: 'store', path: '/api/v1/store', idsPath: null,
    columns: {
        id: 'text', name: 'text', store_name: 'text', store_email: 'text', store_currency: 'text',
        store_timezone: 'text', store_country: 'text', tax_included_in_prices: 'boolean',
        shipping_enabled: 'boolean', guest_checkout: 'boolean', customer_accounts: 'boolean',
        default_locale: 'text', enabled_locales: 'json', weight_unit: 'text', counts: 'json',
    },
    children: [] },
  { name: 'customer_groups', path: '/api/v1/customer-groups', idsPath: null,
    columns: {
        id: 'text', name: 'text', description: 'text', is_active: 'boolean', sort_order: 'integer',
        created_at: 'timestamp', updated_at: 'timestamp',
    },
    children: [] },
  { name: 'locations', path: '/api/v1/locations', idsPath: null,
    columns: {
        id: 'text', name: 'text', description: 'text', address1: 'text', address2: 'text', city: 'text',
        state: 'text', postal_code: 'text', country: 'text', latitude: 'decimal', longitude: 'decimal',
        phone: 'text', email: 'text', image_url: 'text', opening_hours: 'json', pickup_enabled: 'boolean',
        pickup_instructions: 'text', preparation_time: 'text', is_active: 'boolean', sort_order: 'integer',
        external_id: 'text', created_at: 'timestamp', updated_at: 'timestamp',
    },
    children: [] },
  { name: 'categories', path: '/api/v1/categories', idsPath: null,
    columns: {
        id: 'text', name: 'text', slug: 'text', description: 'text', image: 'text', parent_id: 'text',
        order: 'integer', translations: 'json', created_at: 'timestamp',
    },
    children: [] },
  { name: 'orders', path: '/api/v1/orders', idsPath: '/api/v1/ids/orders',
    columns: {
        id: 'text', customer_id: 'text', email: 'text', status: 'text', subtotal: 'money', tax: 'money',
        tax_breakdown: 'json', shipping: 'money', total: 'money', currency: 'text', refund_amount: 'money',
        return_reason: 'text', discount_code: 'text', discount_amount: 'money', payment_provider: 'text',
        payment_method_id: 'text', payment_method_label: 'text', pickup_location_id: 'text',
        shipping_address: 'json', billing_address: 'json', processor_payment_intent_id: 'text',
        processor_charge_id: 'text', receipt_url: 'text', tracking_number: 'text', tracking_url: 'text',
        carrier: 'text', shipping_method: 'text', locale: 'text', metafields: 'json', created_at: 'timestamp',
        updated_at: 'timestamp',
    },
    children: [
      { name: 'order_items', field: 'items', parentColumn: 'order_id', columns: {
        id: 'text', order_id: 'text', product_id: 'text', variant_id: 'text', name: 'text', price: 'money',
        quantity: 'integer', attributes: 'json', created_at: 'timestamp',
      } },
    ] },
  { name: 'customers', path: '/api/v1/customers', idsPath: '/api/v1/ids/customers',
    columns: {
        id: 'text', email: 'text', name: 'text', phone: 'text', group_id: 'text',
        processor_customer_id: 'text', locale: 'text', email_verified: 'timestamp', created_at: 'timestamp',
        updated_at: 'timestamp',
    },
    children: [] },
  { name: 'customer_addresses', path: '/api/v1/customer-addresses', idsPath: null,
    columns: {
        id: 'text', customer_id: 'text', label: 'text', first_name: 'text', last_name: 'text', company: 'text',
        line1: 'text', line2: 'text', city: 'text', state: 'text', postal_code: 'text', country: 'text',
        phone: 'text', is_default_shipping: 'boolean', is_default_billing: 'boolean', created_at: 'timestamp',
        updated_at: 'timestamp',
    },
    children: [] },
  { name: 'products', path: '/api/v1/products', idsPath: '/api/v1/ids/products',
    columns: {
        id: 'text', name: 'text', slug: 'text', description: 'text', price: 'money', compare_price: 'money',
        images: 'json', videos: 'json', status: 'text', category_id: 'text', has_variants: 'boolean',
        sku: 'text', inventory: 'integer', track_inventory: 'boolean',
        continue_selling_when_out_of_stock: 'boolean', product_type: 'text', vendor: 'text', tags: 'json',
        meta_title: 'text', meta_description: 'text', meta_keywords: 'json', metafields: 'json',
        translations: 'json', tax_class: 'text', weight_grams: 'money', created_at: 'timestamp',
        updated_at: 'timestamp',
    },
    children: [
      { name: 'product_variants', field: 'variants', parentColumn: 'product_id', columns: {
        id: 'text', product_id: 'text', sku: 'text', name: 'text', price: 'money', inventory: 'integer',
        weight_grams: 'money', image: 'text', video: 'text', attributes: 'json', created_at: 'timestamp',
      } },
    ] },
]

// End: tables

/** Adds the menu. Google calls it when the spreadsheet is opened. */
function onOpen() {
  SpreadsheetApp.getUi()
    .createMenu('Store export')
    .addItem('Connect…', 'connect')
    .addItem('Export now', 'exportNow')
    .addItem('Export every hour', 'startSchedule')
    .addItem('Stop the schedule', 'stopSchedule')
    .addItem('Choose tables…', 'chooseTables')
    .addItem('Read everything again', 'exportEverything')
    .addToUi()
}

/** Prompts for the key, checks it, and stores it for this Google account. */
function connect() {
  const ui = SpreadsheetApp.getUi()
  const url = SERVICE_URL || ask(ui, 'Address of the service, for example https://export.example.com')
  if (url === null) return
  const key = ask(ui, 'API key of the store, from Settings > API in the dashboard')
  if (key === null) return
  const connection = { url: url.replace(/\/+$/, ''), key }
  if (!/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/.test(url)) throw new Error('The address must start with https://')
  const store = get({ ...connection, endsAt: Date.now() + CONTINUE_MS }, '/api/v1/store', {}).body.data
  withLock(() => {
    const own = PropertiesService.getUserProperties()
    own.deleteProperty('run')
    own.setProperties(connection)
    // The next export empties the tabs of another store.
    PropertiesService.getDocumentProperties().setProperty('store', store.id)
  })
  ui.alert('Connected to ' + store.name + '. Choose Store export > Export now.')
}

function ask(ui, question) {
  const response = ui.prompt('Store export', question, ui.ButtonSet.OK_CANCEL)
  const text = response.getResponseText().trim()
  return response.getSelectedButton() === ui.Button.OK && text !== '' ? text : null
}

/** Prompts for the tables to export, because a spreadsheet has a maximum size. */
function chooseTables() {
  const names = TABLES.map(({ name }) => name).filter((name) => name !== 'store')
  const given = ask(SpreadsheetApp.getUi(), 'Tables to export, separated by commas. All are: ' + names.join(', '))
  if (given === null) return
  const chosen = given.split(',').map((name) => name.trim())
  const unknown = chosen.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error('There is no table ' + unknown + '. The tables are: ' + names.join(', '))
  PropertiesService.getDocumentProperties().setProperty('tables', chosen.join(','))
}

function startSchedule() {
  stopSchedule()
  ScriptApp.newTrigger('exportOnSchedule').timeBased().everyHours(1).create()
  SpreadsheetApp.getUi().alert('The export runs every hour, also while this spreadsheet is closed.')
}

function stopSchedule() {
  removeTriggers('exportOnSchedule')
}

/** Forgets how far each table was read, so that the export reads all rows again. */
function exportEverything() {
  withLock(() => runExport(true))
}

function exportNow() {
  withLock(runExport)
}

function exportOnSchedule() {
  withLock(runExport, true)
}

/** Continues an export that reached the time limit, or that Google stopped. */
function continueExport() {
  withLock(runExport, true)
}

/** Runs one action at a time in this spreadsheet. */
function withLock(action, isScheduled) {
  const lock = LockService.getDocumentLock()
  if (!lock.tryLock(1000)) {
    // The next scheduled export reads the same changes.
    if (isScheduled) return
    throw new Error('An export is active in this spreadsheet. Try again in 6 minutes.')
  }
  try {
    action()
  } finally {
    lock.releaseLock()
  }
}

/** Reads what changed in every table. Pauses before Google's time limit, and stores its position after each page. */
function runExport(isEverything) {
  const run = openRun()
  try {
    continueAfter(WATCHDOG_MS)
    checkStore(run)
    if (isEverything) forgetPositions(run)
    showStatus(run, 'The export starts.')
    // Counted after the status tab exists, because its cells count.
    run.cells = run.file.getSheets().reduce((sum, sheet) => sum + sheet.getMaxRows() * sheet.getMaxColumns(), 0)
    const problems = TABLES.map((table) => problemOf(run, table)).filter((problem) => problem !== null)
    if (problems.length > 0) throw problems[0]
    endRun()
    showStatus(run, 'Up to date. The last export ended at ' + utc(Date.now()) + ' UTC.')
  } catch (error) {
    if (error instanceof Pause) {
      continueAfter(Math.max(error.waitMs, CONTINUE_MS))
      showStatus(run, 'The export continues in a minute, because Google stops scripts after 6 minutes.')
      return
    }
    // The next export reads all tables, and continues the list that was being read.
    endRun()
    showStatus(run, 'Stopped: ' + error.message)
    // Google shows the message after a click in the menu, and mails it after a scheduled export.
    throw error
  }
}

/** Exports a table. Returns what prevents it, or null. */
function problemOf(run, table) {
  try {
    syncTable(run, table)
    return null
  } catch (error) {
    if (error instanceof Pause || error instanceof ServiceProblem) throw error
    // A person can have changed or protected the tab. Other tables can still be exported.
    return new Error('The table ' + table.name + ' is incomplete: ' + error.message)
  }
}

/** Thrown to end this execution and to continue in another one, `waitMs` later. */
class Pause extends Error {
  constructor(waitMs) {
    super('paused')
    this.waitMs = waitMs
  }
}

/** Thrown if the service does not return rows. The export then stops, because other tables have the same problem. */
class ServiceProblem extends Error {}

function rejection(status, body) {
  const { code = '', message = 'The response has no explanation.' } = (body && body.error) || {}
  const help = status === 401 ? ' Choose Store export > Connect, and enter another key.' : ''
  const problem = new ServiceProblem('The service rejected the request with status ' + status + ': ' + message + help)
  return Object.assign(problem, { code })
}

/** Continues the export of this person, or begins one. Each person has a key and an export of their own. */
function openRun() {
  const shared = PropertiesService.getDocumentProperties()
  const own = PropertiesService.getUserProperties()
  const { url, key, run } = own.getProperties()
  if (!key) throw new Error('Choose Store export > Connect first.')
  const startedAt = Date.now() - Number(run) < RUN_MS ? Number(run) : Date.now()
  own.setProperty('run', String(startedAt))
  const chosen = shared.getProperty('tables')
  return {
    ...{ url, key, startedAt, file: SpreadsheetApp.getActiveSpreadsheet(), storeId: shared.getProperty('store') },
    endsAt: Date.now() + EXECUTION_MS,
    chosen: chosen === null ? null : ['store', ...chosen.split(',')],
    states: new Map(TABLES.map((table) => [table.name, readState(shared, table)])),
  }
}

function endRun() {
  PropertiesService.getUserProperties().deleteProperty('run')
  removeTriggers('continueExport')
}

/** Throws if the key belongs to another store than the tabs. Another person can have connected the spreadsheet. */
function checkStore(run) {
  if (get(run, '/api/v1/store', {}).body.data.id === run.storeId) return
  throw new Error(
    'This spreadsheet is connected to another store than your key. ' +
      'To replace its rows with those of your store, choose Store export > Connect.',
  )
}

/** Creates the trigger of the next execution in place of an earlier one. */
function continueAfter(ms) {
  const next = ScriptApp.newTrigger('continueExport').timeBased().after(ms).create()
  // Removed afterwards, so that one exists if Google stops the script here.
  removeTriggers('continueExport', next.getUniqueId())
}

function removeTriggers(handler, keptId) {
  for (const trigger of ScriptApp.getProjectTriggers())
    if (trigger.getHandlerFunction() === handler && trigger.getUniqueId() !== keptId) ScriptApp.deleteTrigger(trigger)
}

// The state of a table:
// - sheets: for its tab and the tabs of its embedded rows: ID, store of the rows, and sum of the rows' IDs
// - since, parameter: the watermark of the last complete list, and the parameter to send it as
// - fields: digest of the columns that the service read
// - wholeAt: when the list was last read whole; lostAt: when rows were last found to be missing
// - pass: the list that is being read: cursor, mark, isWhole, and the values for the fields above
// - done: start of the last export in which the table was completed
function readState(shared, { name }) {
  return JSON.parse(shared.getProperty('table.' + name) || '{"sheets":{}}')
}

function saveState({ name }, state) {
  PropertiesService.getDocumentProperties().setProperty('table.' + name, JSON.stringify(state))
}

function forgetPositions({ states }) {
  for (const table of TABLES) {
    readAgain(states.get(table.name))
    saveState(table, states.get(table.name))
  }
}

function readAgain(state) {
  Object.assign(state, { since: undefined, pass: undefined, done: undefined })
}

/** Reads the changed rows of a table, or all of them, and removes rows that the store has deleted. */
function syncTable(run, table) {
  const state = run.states.get(table.name)
  if (state.done >= run.startedAt || (run.chosen !== null && !run.chosen.includes(table.name))) return
  if (Date.now() > run.endsAt) throw new Pause(0)
  showStatus(run, 'The export reads ' + table.name + '.')
  const tab = openTab(run, { table, state }, table)
  const children = table.children.map((child) => ({ ...child, tab: openTab(run, { table, state }, child) }))
  const tabs = [tab, ...children.map((child) => child.tab)]
  const save = () => {
    // Google writes changes of cells later. The saved position must not be ahead of them.
    SpreadsheetApp.flush()
    for (const each of tabs) state.sheets[each.name].sum = each.sum
    saveState(table, state)
  }
  if (tabs.some((each) => each.hasDuplicates || each.sum !== state.sheets[each.name].sum)) {
    // A person deleted or copied rows, or Google stopped the script before it saved the position.
    readAgain(state)
    save()
  }
  state.lost = 0
  const isWhole = readList(run, { table, state, tab, children, save })
  if (!isWhole && table.idsPath !== null) removeDeleted(run, { table, state, tab })
  for (const child of children) child.tab.removeChildrenExcept(tab)
  for (const each of tabs) each.removeEmptyRows()
  delete state.pass
  state.done = run.startedAt
  state.rows = tab.rowOf.size
  save()
  if (!isLosing(state)) return
  // The list of changes lacked rows that the store has. The whole list has them.
  readAgain(state)
  state.lostAt = Date.now()
  syncTable(run, table)
}

/** Reads the list of a table from the saved position, and writes its rows. Returns whether the whole list was read. */
function readList(run, { table, state, tab, children, save }) {
  if (state.pass === undefined) state.pass = newPass(state, table)
  while (!state.pass.isComplete) {
    const { pass } = state
    if (Date.now() > run.endsAt) throw new Pause(0)
    const { rows, cursor, headers } = getRows(run, table, pass)
    if (rows === null) {
      state.pass = newPass(state, table)
      continue
    }
    if (hasNewFields(state, headers)) {
      state.pass = newPass({}, table)
      continue
    }
    for (const child of children) writeChildren(child, rows, pass.mark)
    tab.write(rows, pass.mark)
    if (pass.cursor === null) pass.fields = headers['x-store-fields']
    pass.since = headers['x-sync-watermark']
    pass.parameter = headers['x-sync-parameter']
    Object.assign(pass, { cursor, isComplete: cursor === null })
    save()
  }
  const { isWhole, mark, since, parameter, fields } = state.pass
  if (isWhole) tab.removeOthers(mark)
  const wholeAt = isWhole ? Date.parse(mark) : state.wholeAt
  Object.assign(state, { since: parameter === undefined ? undefined : since, parameter, fields, wholeAt })
  return isWhole
}

function newPass({ since, parameter, wholeAt }, { idsPath }) {
  const hidesChanges = idsPath === null || parameter !== 'updated_since'
  const isDue = hidesChanges && Date.now() - wholeAt > WHOLE_EVERY_MS
  const isWhole = since === undefined || isDue
  return { isWhole, mark: new Date(Date.now()).toISOString(), query: isWhole ? {} : { [parameter]: since }, cursor: null }
}

/** Whether the service reads other columns than in the last list. Rows with new fields have no new timestamp. */
function hasNewFields({ pass, fields }, headers) {
  return !pass.isWhole && pass.cursor === null && fields !== headers['x-store-fields']
}

/** Requests a page. `rows` is null if the service does not accept the cursor. */
function getRows(run, { path }, { query, cursor }) {
  const position = cursor === null ? {} : { cursor }
  try {
    const isList = path !== '/api/v1/store'
    const { body, headers } = get(run, path, isList ? { limit: PAGE_ROWS, ...query, ...position } : {})
    return isList ? { rows: body.data, cursor: body.meta.next_cursor, headers } : { rows: [body.data], cursor: null, headers }
  } catch (error) {
    if (error.code === 'INVALID_CURSOR' && cursor !== null) return { rows: null, cursor: null, headers: null }
    throw error
  }
}

function writeChildren({ tab, field, parentColumn }, rows, mark) {
  const written = []
  const removed = []
  for (const row of rows) {
    const present = new Set(row[field].map(({ id }) => id))
    removed.push(...tab.childrenOf(row.id).filter((id) => !present.has(id)))
    written.push(...row[field].map((child) => ({ ...child, [parentColumn]: row.id })))
  }
  // A row that moved to another parent of this page is written again.
  tab.remove(removed)
  tab.write(written, mark)
}

/** Removes the rows that the list of IDs lacks, and counts in `state.lost` the rows that the tab lacks. */
function removeDeleted(run, { table, state, tab }) {
  const listed = new Set()
  let cursor = null
  do {
    if (Date.now() > run.endsAt) throw new Pause(0)
    const { body } = get(run, table.idsPath, cursor === null ? {} : { cursor })
    for (const { id, updated_at: updatedAt } of body.data) {
      listed.add(id)
      if (!tab.rowOf.has(id) && updatedAt !== null && updatedAt < state.since) state.lost++
    }
    cursor = body.meta.next_cursor
  } while (cursor !== null)
  tab.remove([...tab.rowOf.keys()].filter((id) => !listed.has(id)))
}

/** Whether the list of changes lacked rows, so that the whole list must be read. True once a day at most. */
function isLosing({ lost, lostAt }) {
  return lost > 0 && !(Date.now() - lostAt < WHOLE_EVERY_MS)
}

/** Returns the response to a request. Waits and repeats it if that can help. */
function get(run, path, query) {
  const pairs = Object.entries(query).map(([name, value]) => name + '=' + encodeURIComponent(value))
  const url = run.url + path + (pairs.length === 0 ? '' : '?' + pairs.join('&'))
  for (let attempt = 1; ; attempt++) {
    const { status, headers, body, problem } = request(url, run.key)
    if (status === 200) {
      // A proxy can add other parameters.
      const ignored = (headers['x-ignored-params'] || '').split(',').filter((name) => name in query)
      if (ignored.length > 0)
        throw new ServiceProblem(
          'The service ignored the parameter ' + ignored + ', so its rows can be wrong. ' +
            'Replace this script with the one in the dashboard of the service.',
        )
      return { body, headers }
    }
    if (!RETRIED.includes(status)) throw rejection(status, body)
    if (attempt === ATTEMPTS_MAX) throw new ServiceProblem('The service is not available (' + problem + '). Try again later.')
    const waitMs = 1000 * (Number(headers['retry-after']) || Math.pow(2, attempt - 1))
    if (Date.now() + waitMs > run.endsAt) throw new Pause(waitMs)
    Utilities.sleep(waitMs)
  }
}

function request(url, key) {
  try {
    // A redirect could send the key to another server.
    const options = { headers: { 'x-api-key': key }, muteHttpExceptions: true, followRedirects: false }
    const response = UrlFetchApp.fetch(url, options)
    const names = Object.entries(response.getHeaders()).map(([name, value]) => [name.toLowerCase(), value])
    const status = response.getResponseCode()
    const text = response.getContentText('UTF-8')
    const body = status === 200 ? JSON.parse(quoteLongNumbers(text)) : jsonOrNull(text)
    return { status, headers: Object.fromEntries(names), body, problem: 'status ' + status }
  } catch (error) {
    return { status: 0, headers: {}, body: null, problem: error.message }
  }
}

function quoteLongNumbers(json) {
  let isInString = false
  return json.replace(/\\.|"|-?\d[\d.eE+-]{15,}/g, (token) => {
    if (token === '"') isInString = !isInString
    return isInString || token.length <= DIGITS_MAX ? token : '"\uE000' + token + '"'
  })
}

function jsonOrNull(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    // An error page of a proxy.
    return null
  }
}

/** Returns the tab of a table. Creates it, or empties it if it has other columns or the rows of another store. */
function openTab(run, { table, state }, { name, columns, parentColumn }) {
  const known = state.sheets[name]
  let sheet = known && run.file.getSheets().find((each) => each.getSheetId() === known.id)
  if (!sheet) {
    sheet = createSheet(run, name)
    state.sheets[name] = { id: sheet.getSheetId() }
    saveState(table, state)
  }
  const tab = new Tab(run, { name, sheet, columns, parentColumn })
  if (state.sheets[name].store !== run.storeId || tab.header() !== tab.names.join()) {
    tab.layOut()
    SpreadsheetApp.flush()
    // Without a sum, the table is read again.
    state.sheets[name] = { id: sheet.getSheetId(), store: run.storeId }
    saveState(table, state)
  }
  tab.readIndex()
  return tab
}

function createSheet(run, name) {
  const present = run.file.getSheetByName(name)
  // An empty tab is from an export that Google stopped.
  if (present !== null && present.getLastRow() === 0) return present
  if (present !== null)
    throw new Error('The tab ' + name + ' is not from this export. Rename or delete it, and export again.')
  reserve(run, NEW_TAB_CELLS, name)
  const sheet = run.file.insertSheet(name)
  sheet.protect().setDescription('The store export replaces changes in this tab').setWarningOnly(true)
  return sheet
}

/** Throws if the spreadsheet has no room for these cells. */
function reserve(run, cells, name) {
  if (run.cells + cells > CELLS_MAX)
    throw new Error(
      'The rows of ' + name + ' do not fit, because Google Sheets has at most 10 million cells. ' +
        'Choose Store export > Choose tables, and delete the tabs that you do not need.',
    )
  run.cells += cells
}

/** A tab with one row for each ID. */
class Tab {
  constructor(run, { name, sheet, columns, parentColumn }) {
    const names = [...Object.keys(columns), MARK_COLUMN]
    Object.assign(this, { run, name, sheet, columns, names, parentColumn, rowsMax: sheet.getMaxRows() })
  }

  header() {
    const width = Math.min(this.names.length, this.sheet.getMaxColumns())
    return this.sheet.getRange(HEADER_ROWS, 1, 1, width).getDisplayValues()[0].join()
  }

  /** Empties the tab, and gives it its columns, header, and formats. */
  layOut() {
    const { sheet, names, run } = this
    const width = sheet.getMaxColumns()
    reserve(run, (names.length - width) * this.rowsMax, this.name)
    sheet.clear()
    if (width < names.length) sheet.insertColumnsAfter(width, names.length - width)
    if (width > names.length) sheet.deleteColumns(names.length + 1, width - names.length)
    // A frozen header needs a row below it.
    if (this.rowsMax === HEADER_ROWS) sheet.insertRowsAfter(this.rowsMax++, 1)
    sheet.getRange(HEADER_ROWS, 1, 1, names.length).setValues([names.map(asText)])
    sheet.setFrozenRows(HEADER_ROWS)
    this.format(HEADER_ROWS + 1, this.rowsMax - HEADER_ROWS)
  }

  format(row, count) {
    for (const [place, kind] of Object.values(this.columns).entries())
      if (kind in FORMATS) this.sheet.getRange(row, place + 1, count, 1).setNumberFormat(FORMATS[kind])
  }

  /** Reads which row has which ID, and for embedded rows the ID of the parent, which is the second column. */
  readIndex() {
    const last = this.sheet.getLastRow()
    const width = this.parentColumn === undefined ? 1 : 2
    const count = last - HEADER_ROWS
    const rows = count < 1 ? [] : this.sheet.getRange(HEADER_ROWS + 1, 1, count, width).getValues()
    this.rowOf = new Map()
    this.parentOf = new Map()
    this.children = new Map()
    this.sum = 0
    const duplicates = []
    for (const [place, [id, parent]] of rows.entries()) {
      if (id === '') continue
      // A person copied a row.
      if (this.rowOf.has(id)) duplicates.push(place + HEADER_ROWS + 1)
      else this.note(id, place + HEADER_ROWS + 1, parent)
    }
    this.nextRow = Math.max(last, HEADER_ROWS) + 1
    this.hasDuplicates = duplicates.length > 0
    this.clear(duplicates)
  }

  note(id, row, parent) {
    if (!this.rowOf.has(id)) this.sum += hashOf(id)
    this.rowOf.set(id, row)
    if (this.parentColumn === undefined) return
    const previous = this.children.get(this.parentOf.get(id))
    if (previous !== undefined) previous.delete(id)
    this.parentOf.set(id, parent)
    if (!this.children.has(parent)) this.children.set(parent, new Set())
    this.children.get(parent).add(id)
  }

  childrenOf(parent) {
    return [...(this.children.get(parent) || [])]
  }

  /** Writes each row in place of the row with its ID, or at the end. Writes neighbors together. */
  write(rows, mark) {
    const cells = new Map()
    for (const row of rows) {
      const place = this.rowOf.has(row.id) ? this.rowOf.get(row.id) : this.nextRow++
      this.note(row.id, place, row[this.parentColumn])
      const values = Object.entries(this.columns).map(([name, kind]) => asCell(row[name], kind))
      cells.set(place, [...values, asText(mark)])
    }
    this.makeRoom()
    for (const { row, count } of groupsOf([...cells.keys()])) {
      const block = Array.from({ length: count }, (_, place) => cells.get(row + place))
      this.sheet.getRange(row, 1, count, this.names.length).setValues(block)
    }
  }

  makeRoom() {
    const missing = this.nextRow - 1 - this.rowsMax
    if (missing <= 0) return
    const width = this.sheet.getMaxColumns()
    const left = Math.floor((CELLS_MAX - this.run.cells) / width)
    const added = Math.max(missing, Math.min(ROWS_ADDED, left))
    reserve(this.run, added * width, this.name)
    this.sheet.insertRowsAfter(this.rowsMax, added)
    this.format(this.rowsMax + 1, added)
    this.rowsMax += added
  }

  /** Empties the rows with these IDs. `removeEmptyRows` deletes them later, so that other rows keep their places. */
  remove(ids) {
    this.clear(ids.map((id) => this.rowOf.get(id)))
    for (const id of ids) {
      this.rowOf.delete(id)
      this.sum -= hashOf(id)
      const siblings = this.children.get(this.parentOf.get(id))
      if (siblings !== undefined) siblings.delete(id)
      this.parentOf.delete(id)
    }
  }

  clear(places) {
    for (const { row, count } of groupsOf(places)) this.sheet.getRange(row, 1, count, this.names.length).clearContent()
  }

  /** Removes the rows that the pass with this mark did not read. */
  removeOthers(mark) {
    const count = this.nextRow - 1 - HEADER_ROWS
    if (count < 1) return
    const marks = this.sheet.getRange(HEADER_ROWS + 1, this.names.length, count, 1).getValues()
    this.remove([...this.rowOf].filter(([, row]) => marks[row - HEADER_ROWS - 1][0] !== mark).map(([id]) => id))
  }

  /** Removes embedded rows whose parent is not in the other tab. */
  removeChildrenExcept({ rowOf }) {
    this.remove([...this.rowOf.keys()].filter((id) => !rowOf.has(this.parentOf.get(id))))
  }

  removeEmptyRows() {
    const used = new Set(this.rowOf.values())
    const places = Array.from({ length: this.nextRow - 1 - HEADER_ROWS }, (_, place) => place + HEADER_ROWS + 1)
    const gaps = groupsOf(places.filter((row) => !used.has(row)))
    if (gaps.length <= GAPS_MAX) {
      for (const { row, count } of gaps.reverse()) this.deleteRows(row, count)
      return
    }
    // Empty cells come last in a sorted range.
    const created = this.names.indexOf('created_at') + 1
    const order = [created, 1].filter((column) => column > 0).map((column) => ({ column, ascending: true }))
    this.sheet.getRange(HEADER_ROWS + 1, 1, places.length, this.sheet.getMaxColumns()).sort(order)
    this.deleteRows(HEADER_ROWS + 1 + used.size, places.length - used.size)
  }

  deleteRows(row, count) {
    // Google Sheets keeps one row below the header.
    if (this.rowsMax - count <= HEADER_ROWS) this.sheet.insertRowsAfter(this.rowsMax++, 1)
    this.sheet.deleteRows(row, count)
    this.rowsMax -= count
    this.run.cells -= count * this.sheet.getMaxColumns()
  }
}

/** Returns a number below 2^32, so that the sum of all rows of a spreadsheet is exact. */
function hashOf(id) {
  let hash = 1
  for (const character of String(id)) hash = (hash * 31 + character.codePointAt(0)) % 4294967296
  return hash
}

/** Returns groups of successive row numbers, in ascending order. */
function groupsOf(places) {
  const groups = []
  for (const row of [...places].sort((one, other) => one - other)) {
    const last = groups[groups.length - 1]
    if (last !== undefined && last.row + last.count === row) last.count++
    else groups.push({ row, count: 1 })
  }
  return groups
}

function asCell(value, kind) {
  if (value === null || value === undefined) return ''
  if (kind === 'money' || kind === 'decimal') return asNumber(value)
  if (kind === 'timestamp') return asDay(value)
  if (kind === 'json') return asText(JSON.stringify(value).replace(QUOTED_NUMBERS, '$1'))
  return typeof value === 'string' ? asText(value) : value
}

/** The apostrophe keeps text as it is. Without it, a spreadsheet reads 00123 as a number and =1+1 as a formula. */
function asText(text) {
  if (text === '') return ''
  if (text.length < CELL_CHARACTERS_MAX) return "'" + text
  const note = ' … (cut: a cell has at most 50,000 characters)'
  // A pair of surrogates is not cut in half.
  return "'" + text.slice(0, CELL_CHARACTERS_MAX - note.length - 1).replace(/[\uD800-\uDBFF]$/, '') + note
}

/** Returns a number if a spreadsheet can store all digits, otherwise text. */
function asNumber(text) {
  const digits = text.replace(/\D/g, '').replace(/^0+/, '')
  return digits.length <= DIGITS_MAX ? Number(text) : asText(text)
}

/** Returns a timestamp as a day number in UTC, which a spreadsheet shows as date and time, otherwise as text. */
function asDay(text) {
  const day = Date.parse(text) / DAY_MS + EPOCH_DAY
  return day >= FIRST_DAY && day <= LAST_DAY ? day : asText(text)
}

function utc(ms) {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}

/** Writes the message and the state of each table into a tab of their own. */
function showStatus({ file, states }, message) {
  const rows = TABLES.map(({ name }) => {
    const { rows = '', since, wholeAt, pass } = states.get(name)
    const asOf = since ? since.slice(0, 19).replace('T', ' ') : wholeAt ? utc(wholeAt) : ''
    return [asText(name), rows, asText(asOf), asText(pass === undefined ? '' : 'being read')]
  })
  const head = [asText(message), '', '', '']
  const titles = ['Table', 'Rows', 'Contains all changes until (UTC)', ''].map(asText)
  const cells = [head, ['', '', '', ''], titles, ...rows]
  try {
    const tab = file.getSheetByName(STATUS_TAB) || file.insertSheet(STATUS_TAB, 0)
    const [height, width] = [tab.getMaxRows(), tab.getMaxColumns()]
    if (height < cells.length) tab.insertRowsAfter(height, cells.length - height)
    if (width < head.length) tab.insertColumnsAfter(width, head.length - width)
    tab.getRange(1, 1, cells.length, head.length).setValues(cells)
    SpreadsheetApp.flush()
  } catch (error) {
    // The export goes on without the status, for example if a person has protected its tab.
  }
}
