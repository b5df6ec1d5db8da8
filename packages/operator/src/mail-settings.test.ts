import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { mailSettings } from './mail-settings.ts'

const FROM = 'Store export <export@example.com>'
const settingsFor = (url?: string, from?: string) => {
  const { config } = readConfig({
    ...(url === undefined ? {} : { STORE_EXPORT_SMTP_URL: url }),
    ...(from === undefined ? {} : { STORE_EXPORT_MAIL_FROM: from }),
  })
  return mailSettings(config)
}

test('mailSettings returns the configured sender, or null if neither the SMTP URL nor the sender is set', () => {
  expect(settingsFor('smtps://user:pass@mail.example.com:465', FROM)?.from).toBe(FROM)
  expect(settingsFor('smtp://127.0.0.1:2525', 'export@example.com')?.from).toBe('export@example.com')
  expect(settingsFor()).toBeNull()
})

test.each([
  ['smtp://mail.example.com', undefined, 'STORE_EXPORT_MAIL_FROM: not set; set it together with STORE_EXPORT_SMTP_URL'],
  [undefined, FROM, 'STORE_EXPORT_SMTP_URL: not set; set it together with STORE_EXPORT_MAIL_FROM'],
  ['http://user:hidden@mail.example.com', FROM, 'STORE_EXPORT_SMTP_URL: must be a URL such as smtp://'],
  ['mail.example.com:587', FROM, 'STORE_EXPORT_SMTP_URL: must be a URL such as smtp://'],
  ['smtp://mail.example.com', 'Store export', 'STORE_EXPORT_MAIL_FROM: must be an address such as'],
  ['smtp://mail.example.com', 'Store\nBcc: a@b.example', 'STORE_EXPORT_MAIL_FROM: must be an address such as'],
])(
  'if STORE_EXPORT_SMTP_URL is %j and STORE_EXPORT_MAIL_FROM is %j, the error contains "%s" and no password',
  (url, from, message) => {
    const read = () => settingsFor(url, from)
    expect(read).toThrow(message)
    expect(read).not.toThrow('hidden')
  },
)
