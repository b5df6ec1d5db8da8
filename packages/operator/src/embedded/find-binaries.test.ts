import { chmod, chown, cp, lstat, mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isRoot, temporaryFolder } from '../../test/support/embedded-server.ts'
import { unprivilegedAccount } from './account.ts'
import { binariesPackage, findBinaries, withInitdb } from './find-binaries.ts'
import { runProgram } from './run-program.ts'

test('if npm left out symbolic links between the PostgreSQL binaries, initdb still runs from the folder of the package', async () => {
  const packageFolder = await unlinkedPackage(await temporaryFolder())
  const wanted = { account: undefined, copyFolder: await temporaryFolder(), packageFolder }
  const binaries = await findBinaries(wanted)
  expect(binaries.majorVersion).toBe('18')
  expect(binaries.initdb.startsWith(packageFolder)).toBe(true)
  expect((await runProgram(binaries.initdb, ['--version'], undefined)).output).toMatch(/^initdb \(PostgreSQL\) 18/)
  expect(await findBinaries(wanted)).toEqual(binaries)
})

test.skipIf(!isRoot)(
  "if the PostgreSQL user can't reach the binaries, findBinaries makes one copy that this user can run, even under umask 077",
  async () => {
    const closed = await temporaryFolder()
    const packageFolder = await unlinkedPackage(closed)
    await chmod(closed, 0o700)
    const account = unprivilegedAccount(await readFile('/etc/passwd', 'utf8'))
    const wanted = { account, copyFolder: await temporaryFolder(), packageFolder }
    const before = process.umask(0o077)
    const binaries = await findBinaries(wanted).finally(() => process.umask(before))
    expect(binaries.postgres.startsWith(wanted.copyFolder)).toBe(true)
    expect((await runProgram(binaries.initdb, ['--version'], account)).output).toMatch(/^initdb \(PostgreSQL\) 18/)
    expect(await findBinaries(wanted)).toEqual(binaries)
    expect(await readdir(wanted.copyFolder)).toHaveLength(1)
  },
)

test.skipIf(isRoot)(
  'if the folder of the PostgreSQL binaries lacks symbolic links and is not writable, initdb still runs',
  async () => {
    const packageFolder = await unlinkedPackage(await temporaryFolder())
    const library = path.join(packageFolder, 'native', 'lib')
    await chmod(library, 0o555)
    onTestFinished(() => chmod(library, 0o755))
    const binaries = await findBinaries({ account: undefined, copyFolder: await temporaryFolder(), packageFolder })
    expect((await runProgram(binaries.initdb, ['--version'], undefined)).output).toMatch(/^initdb \(PostgreSQL\) 18/)
  },
)

test('if the path of the PostgreSQL binaries has shell characters, initdb runs from a copy', async () => {
  const folder = path.join(await temporaryFolder(), 'a "shop" for $HOME `today`')
  await mkdir(folder)
  await chmod(folder, 0o711)
  const packageFolder = await unlinkedPackage(folder)
  const account = isRoot ? unprivilegedAccount(await readFile('/etc/passwd', 'utf8')) : undefined
  const binaries = await findBinaries({ account, copyFolder: folder, packageFolder })
  const cluster = await temporaryFolder()
  if (account !== undefined) await chown(cluster, account.userId, account.groupId)
  const parameters = ['-D', cluster, '--no-sync', '--auth=trust', '--username=postgres']
  const { code, output } = await withInitdb(binaries, (initdb) => runProgram(initdb, parameters, account))
  expect(code, output).toBe(0)
})

/** Copies the package as npm unpacks it without install scripts. */
async function unlinkedPackage(parent: string): Promise<string> {
  const folder = path.join(parent, 'package')
  const isPart = async (file: string): Promise<boolean> => !file.endsWith('.a') && !(await lstat(file)).isSymbolicLink()
  await cp(binariesPackage(), folder, { recursive: true, filter: isPart })
  return folder
}
