// Starts a real SMTP server on loopback, which stores the emails that it gets.

import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** An email as the server got it. */
export interface ReceivedEmail {
  readonly to: readonly string[]
  /** Header lines and the body, with unfolded lines and decoded quoted-printable text. */
  readonly message: string
}

export interface TestSmtpServer {
  /** URL with a user name and a password. */
  readonly url: string
  readonly emails: ReceivedEmail[]
  /** Rejects each email to an address that contains this text; '' for all addresses, null to accept all. */
  rejects: string | null
  close(): Promise<void>
}

/** Starts a server that accepts the user `export` with the password `hidden`. */
export async function startSmtpServer(): Promise<TestSmtpServer> {
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth(auth, _session, done) {
      if (auth.username === 'export' && auth.password === 'hidden') done(null, { user: auth.username })
      else done(new Error('wrong password'))
    },
    onRcptTo({ address }, _session, done) {
      done(running.rejects !== null && address.includes(running.rejects) ? new Error('no such mailbox') : null)
    },
    onData(stream, session, done) {
      void text(stream).then((message) => {
        running.emails.push({ to: session.envelope.rcptTo.map(({ address }) => address), message: decoded(message) })
        done()
      }, done)
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const running: TestSmtpServer = {
    url: `smtp://export:hidden@127.0.0.1:${port}`,
    emails: [],
    rejects: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return running
}

function decoded(message: string): string {
  const bytes = message
    .replace(/=\r\n/g, '')
    .replace(/\r\n[ \t]+/g, ' ')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
