// Reads and compresses the style sheet, the scripts and the icon of the pages once. The URL of a file contains a hash
// of its content, so that browsers can cache the file forever.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** A file with its compressed forms. */
export interface Asset {
  /** URL path of the file: `/assets/<name>.<hash>.<extension>`. */
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
  readonly gzip: Buffer
  readonly brotli: Buffer
}

/** The files that pages load. */
export interface Assets {
  readonly style: Asset
  readonly script: Asset
  /** The script of the pages that use passkeys. */
  readonly passkeys: Asset
  readonly htmx: Asset
  readonly icon: Asset
}

/**
 * Returns the assets. The first call, at the start of the server, reads the files. Throws the system error if a file
 * can't be read.
 */
export function assets(): Assets {
  loaded ??= loadAssets()
  return loaded
}

let loaded: Assets | null = null

/** The parts of the style sheet. The order matters, because later rules override earlier rules. */
const STYLE_PARTS = [
  'base.css',
  'layout.css',
  'components.css',
  'forms.css',
  'code.css',
  'tables.css',
  'keys.css',
  'chart.css',
  'pages.css',
]

const CONTENT_TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

function loadAssets(): Assets {
  const style = Buffer.concat(STYLE_PARTS.map(readOwn))
  const htmx = readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'))
  return {
    style: assetOf('style', 'css', style),
    script: assetOf('dashboard', 'js', readOwn('dashboard.js')),
    passkeys: assetOf('passkeys', 'js', readOwn('passkeys.js')),
    htmx: assetOf('htmx', 'js', htmx),
    icon: assetOf('icon', 'svg', readOwn('icon.svg')),
  }
}

function readOwn(file: string): Buffer {
  return readFileSync(new URL(`./assets/${file}`, import.meta.url))
}

function assetOf(name: string, extension: keyof typeof CONTENT_TYPES, body: Buffer): Asset {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12)
  const brotli = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  return {
    path: `/assets/${name}.${hash}.${extension}`,
    contentType: CONTENT_TYPES[extension],
    body,
    gzip: gzipSync(body, { level: 9 }),
    brotli,
  }
}
