// Runs the commands of docs/operate/install.md as they stand on the page, on an empty control database.

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDatabase } from '../../../test/support/databases.ts'
import { dropAfterTest, newSecret, runCommand, SLOW_TEST_TIMEOUTS, startCommand } from './support/command-process.ts'

vi.setConfig(SLOW_TEST_TIMEOUTS)

const PAGE = path.resolve(import.meta.dirname, '../../../docs/operate/install.md')

test('[AUTH-1] if the commands of the installation page run in order, a request with the created key gets 200 with the store', async () => {
  const page = await readFile(PAGE, 'utf8')
  const blocks = [...page.matchAll(/^```\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  const lines = blocks.flatMap((block) => block.split('\n'))
  const commands = lines.filter((line) => line.startsWith('npx store-export ')).map(argumentsOf)
  expect(commands.map(([first, second]) => `${first} ${second ?? ''}`.trim())).toEqual([
    'migrate',
    'serve --dashboard',
    'stores provision',
    'keys create',
    'doctor --store',
  ])
  const [curl = ''] = lines.filter((line) => line.startsWith('curl '))
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  const settings = {
    DATABASE_URL: database.url,
    SECRET: newSecret(),
    PORT: '0',
    DASHBOARD_PORT: '0',
    OPERATIONS_PORT: '0',
  }
  const [migrate = [], serve = [], ...others] = commands
  expect((await runCommand(migrate, { settings })).code).toBe(0)
  const service = startCommand(serve, { settings })
  const [, url = ''] = await service.waitForOutput(/"listener":"api","address":"(http:[^"]+)"/)
  let key = ''
  for (const command of others) {
    const result = await runCommand(command, { settings })
    expect(result.code, result.stderr).toBe(0)
    if (command[0] === 'stores') dropAfterTest(result.stdout.trim())
    if (command[0] === 'keys') key = result.stdout.trim()
  }
  const [, address = ''] = /'(http:[^']+)'/.exec(curl) ?? []
  const response = await fetch(address.replace('http://127.0.0.1:8080', url), { headers: { 'x-api-key': key } })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ data: { name: 'My shop' } })
})

/** Returns the arguments of a command on the page, without quotes. */
function argumentsOf(line: string): string[] {
  return [...line.slice('npx store-export '.length).matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )
}
