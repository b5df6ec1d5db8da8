// Sends emails through the operator's SMTP server.

import { type Secret, withoutDirectionControls } from '@store-export/control'
import { createTransport } from 'nodemailer'

/** The SMTP server, and the sender of emails. */
export interface MailSettings {
  /**
   * `smtp://` with STARTTLS, by default on port 587, or `smtps://`, by default on port 465. Can contain a user name and
   * a password.
   */
  readonly smtpUrl: Secret
  /** Sender, such as `Store export <export@shop.example>`. */
  readonly from: string
}

/** An email to one person. */
export interface Email {
  readonly to: string
  readonly subject: string
  readonly text: string
  /** Address that stops these emails. Mail programs show it as a button. Absent if merchants can't stop them. */
  readonly unsubscribeUrl?: string
}

/** Sends emails. `send` rejects with the error of the SMTP server or of the connection. */
export interface Mailer {
  send(email: Email): Promise<void>
  close(): void
}

/** Time limit in ms of the connection, of the server's greeting, and of each silence of the server after that. */
const TIMEOUT_MS = 10_000
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns a mailer, which connects for each email. Sends nothing without TLS, except to a server on this machine. */
export function createMailer({ smtpUrl, from }: MailSettings): Mailer {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl.reveal())
  const isSecure = protocol === 'smtps:'
  const transport = createTransport({
    // nodemailer expects an IPv6 address without the brackets of a URL.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !LOOPBACK.has(hostname),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  return {
    async send({ to, subject, text, unsubscribeUrl }) {
      await transport.sendMail({
        from,
        // nodemailer would read a string as a list of addresses.
        to: { name: '', address: to },
        subject: withoutDirectionControls(subject),
        text: withoutDirectionControls(text),
        headers: {
          // Prevents automatic replies (RFC 3834).
          'Auto-Submitted': 'auto-generated',
          ...(unsubscribeUrl === undefined ? {} : { 'List-Unsubscribe': `<${unsubscribeUrl}>` }),
        },
      })
    },
    close: () => transport.close(),
  }
}
