// Draws QR codes on the server as inline SVG, so that a page with a secret loads no image and runs no script.

import encodeQR from 'qr'
import { type Html, html } from './html.ts'

/** Width of the margin around the code, in modules (ISO/IEC 18004). */
const MARGIN = 4

/**
 * Returns a QR code of the text, black on white in both color schemes. `label` is its name for screen readers. Throws
 * if the text is too long for a QR code.
 */
export function qrCode(text: string, label: string): Html {
  const modules = encodeQR(text, 'raw', { border: MARGIN, ecc: 'medium' })
  const path = modules.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('')
  const size = modules.length
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" width="200" height="200" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}
