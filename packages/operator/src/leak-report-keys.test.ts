import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keysText, newScanner } from '../../../test/support/scanner.ts'
import { InvalidSettingError } from './config.ts'
import { parseReportKeys, readReportKeys } from './leak-report-keys.ts'

test('[R47] if the file of leak-report keys has a current and a non-current P-256 key, parseReportKeys returns both', () => {
  const [current, earlier] = [newScanner(), newScanner({ isCurrent: false })]
  const keys = parseReportKeys(keysText(current, earlier))
  expect([...keys.keys()]).toEqual([current.entry.key_identifier, earlier.entry.key_identifier])
})

test('[R47] if the file of leak-report keys has a P-256 key, a key of another curve, and malformed entries, parseReportKeys returns only the P-256 key', () => {
  const { entry } = newScanner()
  const others = [newScanner({ curve: 'secp384r1' }).entry, { ...entry, key: 'x' }, { ...entry, key_identifier: 7 }]
  const text = JSON.stringify({ public_keys: [...others, null, 'x', { ...entry, key_identifier: '' }, entry] })
  expect([...parseReportKeys(text).keys()]).toEqual([entry.key_identifier])
})

test('[R47] if the file of leak-report keys is random text or JSON without a P-256 key, the error names STORE_EXPORT_LEAK_REPORT_KEYS_FILE', () => {
  const texts = fc.oneof(fc.string(), fc.json(), fc.constantFrom('{"public_keys":{}}', '[]', '{"public_keys":[]}'))
  fc.assert(
    fc.property(texts, (text) => {
      expect(() => parseReportKeys(text)).toThrow(InvalidSettingError)
      expect(() => parseReportKeys(text)).toThrow(/^STORE_EXPORT_LEAK_REPORT_KEYS_FILE: must be a /)
    }),
  )
})

test('[R47] if the file of leak-report keys does not exist, the error names the setting, the path, and the reason', () => {
  expect(() => readReportKeys('/nowhere/keys.json', () => undefined)).toThrow(
    'STORE_EXPORT_LEAK_REPORT_KEYS_FILE: cannot read "/nowhere/keys.json" (ENOENT); check the path and its permissions',
  )
})
