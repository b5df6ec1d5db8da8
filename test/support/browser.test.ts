import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { axeViolations, overflowsSideways, paintTimes } from './accessibility.ts'
import { installedBrowserPaths, openBrowser, openPage, type PageSettings, unpackChromium } from './browser.ts'

const POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'"
const GOOD = page('<h1>Settings</h1><label>Name <input></label>')

let browser: Browser
let server: Server
let origin = ''
const bodies = new Map<string, string>()

beforeAll(async () => {
  browser = await openBrowser()
  server = createServer((request, response) => {
    const body = bodies.get(request.url ?? '')
    const type = request.url?.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8'
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type, 'content-security-policy': POLICY })
    response.end(body ?? GOOD)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address !== null && typeof address === 'object') origin = `http://127.0.0.1:${address.port}`
})
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function page(main: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><title>Test</title>${head}</head><body><main>${main}</main></body></html>`
}

/** Opens a page that shows `body` under a strict policy, and serves `script` to it. */
async function show(body: string, settings: PageSettings = {}, script = '') {
  bodies.set('/', body)
  bodies.set('/script.js', script)
  const open = await openPage(browser, settings)
  onTestFinished(() => open.close())
  await open.page.goto(`${origin}/`)
  return open
}

/** Opens a page that runs `script`, and waits until the script has ended. */
function run(script: string) {
  return show(page('<h1>Test</h1>', '<script src="/script.js"></script>'), {}, script)
}

describe('pages that the browser for tests opens', () => {
  test('if a page has no error, the browser for tests reports none, with and without JavaScript', async () => {
    expect((await show(GOOD)).problems).toEqual([])
    expect((await show(GOOD, { javaScript: false })).problems).toEqual([])
  })

  test('if a page has a console error, an uncaught exception, or a dialog, the browser for tests reports it', async () => {
    expect((await run("console.error('went wrong')")).problems).toEqual(['console: went wrong'])
    expect((await run("throw new Error('not caught')")).problems).toEqual(['exception: not caught'])
    expect((await run("alert('hello')")).problems).toEqual(['dialog: hello'])
  })

  test('if a page violates its Content-Security-Policy, the browser for tests reports each violation', async () => {
    const inline = page('<h1 style="color: red">Test</h1>')
    for (const javaScript of [true, false]) {
      const { problems } = await show(inline, { javaScript })
      expect(problems).toEqual([expect.stringContaining('Content Security Policy')])
    }
    const { problems } = await show(page('<img src="x" alt="" onerror="alert(1)">'))
    expect(problems.filter((problem) => problem.startsWith('dialog'))).toEqual([])
    expect(problems.join()).toContain('inline event handler')
  })

  test('if the page itself has an error status, the browser for tests does not report the status', async () => {
    const { page: shown, problems } = await show(GOOD)
    expect((await shown.goto(`${origin}/nowhere`))?.status()).toBe(404)
    expect(problems).toEqual([])
  })

  test('if a file of a page is missing, the browser for tests reports the failed request', async () => {
    const { problems: missing } = await show(page('<h1>Test</h1><img src="/missing.png" alt="">'))
    expect(missing).toEqual(['console: Failed to load resource: the server responded with a status of 404 (Not Found)'])
  })

  test('if a page requests another host, the request fails, and the browser for tests reports it', async () => {
    const { page: shown, problems } = await show(GOOD)
    for (const url of ['http://example.com/', 'http://192.0.2.1/']) {
      await expect(shown.goto(url)).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
      expect(problems.at(-1)).toBe(`request to another host: GET ${url}`)
    }
  })

  test('if the browser for tests opens a page with a size, color scheme, locale, and time zone, scripts of the page see these values', async () => {
    const { page: shown } = await show(GOOD, {
      width: 360,
      height: 640,
      colorScheme: 'dark',
      locale: 'de-CH',
      timezoneId: 'Asia/Kolkata',
    })
    const seen = `[innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches, navigator.language,
      Intl.DateTimeFormat().resolvedOptions().timeZone]`
    expect(await shown.evaluate(seen)).toEqual([360, 640, true, 'de-CH', 'Asia/Calcutta'])
  })

  test('paintTimes returns a first contentful paint of more than 0 ms for a page with text', async () => {
    const { firstContentfulPaintMs } = await paintTimes((await show(GOOD)).page)
    expect(firstContentfulPaintMs).toBeGreaterThan(0)
  })
})

describe('accessibility checks', () => {
  test('if an accessible page has a strict Content-Security-Policy, axe still runs and reports no violation', async () => {
    const { page: shown, problems } = await show(GOOD)
    expect(await axeViolations(shown)).toEqual([])
    expect(problems).toEqual([])
  })

  test('if a page violates accessibility rules, each report names the rule, impact, help text, and elements', async () => {
    const { page: shown } = await show(page('<h1>Test</h1><input class="nameless"><img src="/x.png">'))
    expect(await axeViolations(shown)).toEqual([
      'image-alt (critical): Images must have alternative text\n  img',
      'label (critical): Form elements must have labels\n  input',
    ])
  })

  test('if a click target is too small, axe reports it, although axe turns this rule off by default', async () => {
    const tiny = 'width="8" height="8" type="image" src="/x.png"'
    const { page: shown } = await show(page(`<h1>Test</h1><input ${tiny} alt="one"><input ${tiny} alt="two">`))
    expect((await axeViolations(shown)).join()).toContain('target-size (serious)')
  })

  test('if a page is opened without JavaScript, the accessibility check says that it needs a page with JavaScript', async () => {
    const { page: shown } = await show(GOOD, { javaScript: false })
    await expect(axeViolations(shown)).rejects.toThrow('axe-core needs a page with JavaScript')
  })

  test("if a page scrolls sideways, overflowsSideways returns the page's width and the elements that are too wide", async () => {
    const wide = page('<h1>Test</h1><table width="900" cellspacing="0"><tr><td>wide</td></tr></table>')
    for (const javaScript of [true, false]) {
      const { page: shown } = await show(wide, { width: 360, javaScript })
      const found = await overflowsSideways(shown)
      expect(found[0]).toMatch(/^the page is 9\d\d px wide in a window of 360 px$/)
      expect(found[1]).toMatch(/^tr > td reaches 9\d\d px$/)
      expect(found).toHaveLength(2)
    }
    expect(await overflowsSideways((await show(GOOD, { width: 360 })).page)).toEqual([])
  })
})

describe('the browser for tests', () => {
  const isPackaged = process.platform === 'linux' && process.arch === 'x64' && !process.env.CHROME_PATH

  test.runIf(isPackaged)('after the browser for tests is closed, no process and no profile is left', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const name of ['TMPDIR', 'STORE_EXPORT_TEST_BROWSERS']) vi.stubEnv(name, folder)
    const another = await openBrowser()
    expect(await processesIn(folder)).not.toEqual([])
    expect(await readdir(folder)).toContainEqual(expect.stringContaining('profile'))
    await another.close()
    expect(await processesIn(folder)).toEqual([])
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^store-export-browser-\d+-[\d.]+$/)])
  })

  test.runIf(isPackaged)(
    'if two calls unpack the browser for tests at the same time, both get the same complete folder',
    async () => {
      const parent = await temporaryFolder()
      const [one, other] = await Promise.all([unpackChromium(parent), unpackChromium(parent)])
      expect(one).toBe(other)
      expect(await readdir(parent)).toEqual([path.basename(one)])
      for (const name of ['chromium', 'fonts.conf', 'fonts/fonts/Open_Sans', 'al2023/lib/libnss3.so']) {
        expect(existsSync(path.join(one, name)), name).toBe(true)
      }
    },
  )

  test.runIf(isPackaged)(
    'if the target path of the browser for tests is a file, unpacking the browser throws and says to remove the file',
    async () => {
      const parent = await temporaryFolder()
      const folder = await unpackChromium(parent)
      await rm(folder, { recursive: true })
      await writeFile(folder, '')
      await expect(unpackChromium(parent)).rejects.toThrow(`${folder} is not a folder of this user: remove it`)
    },
  )

  test('installedBrowserPaths returns the usual path of Chrome or Chromium on macOS, Windows, and Linux', () => {
    expect(installedBrowserPaths('darwin', {})[0]).toBe('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome')
    expect(installedBrowserPaths('win32', { LOCALAPPDATA: 'C:\\Local' })).toEqual([
      'C:\\Local\\Google\\Chrome\\Application\\chrome.exe',
    ])
    expect(installedBrowserPaths('linux', {})).toContain('/usr/bin/chromium')
  })
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'store-export-unpacking-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Returns the command lines of running processes that name `folder`. */
async function processesIn(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  // A process may end before its file is read.
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  return lines.filter((line) => line.includes(folder))
}
