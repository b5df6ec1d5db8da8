// Writes data as YAML in block style, for generated files. Strings that need quotes are written as JSON strings, which
// YAML also accepts.

export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [name: string]: YamlValue }

/** Matches strings that need no quotes in YAML, unless they are `RESERVED`. */
const PLAIN = /^[A-Za-z_][\w./-]*(?: [\w./-]+)*$/
/** Words that YAML 1.1 parses as something other than a string. */
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i

/**
 * Returns the document. Doesn't support an empty list or object as `value` or as an element of a list. Only a member of
 * an object can be empty.
 */
export function yamlText(value: YamlValue): string {
  return `${lines(value).join('\n')}\n`
}

function lines(value: YamlValue): string[] {
  if (Array.isArray(value)) return value.flatMap((each: YamlValue) => prefixed('- ', lines(each)))
  if (value === null || typeof value !== 'object') return [scalar(value)]
  return Object.entries(value).flatMap(([name, member]) => {
    if (isScalar(member)) return [`${scalar(name)}: ${lines(member)[0]}`]
    return [`${scalar(name)}:`, ...prefixed('  ', lines(member), '  ')]
  })
}

function prefixed(first: string, [head = '', ...rest]: readonly string[], indent = '  '): string[] {
  return [first + head, ...rest.map((line) => indent + line)]
}

function isScalar(value: YamlValue): boolean {
  return value === null || typeof value !== 'object' || Object.keys(value).length === 0
}

function scalar(value: YamlValue): string {
  if (value !== null && typeof value === 'object') return Array.isArray(value) ? '[]' : '{}'
  if (typeof value === 'string' && PLAIN.test(value) && !RESERVED.test(value)) return value
  return JSON.stringify(value)
}
