// Makes an image with Node and npm from the files of this machine, for machines that reach no registry of images.

import { chmod, copyFile, cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runProgram, withWorkFolder } from '../../connectors/test/python-tool.ts'

const IMAGE = 'localhost/store-export-test-node'
/** Programs that npm runs, and a package with native code for the build. */
const PROGRAMS = ['/bin/sh', '/usr/bin/env']
const NATIVE = path.resolve('node_modules/@rolldown/binding-linux-x64-gnu/rolldown-binding.linux-x64-gnu.node')
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'
const CONTAINERFILE = `FROM scratch
COPY root /
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_EXTRA_CA_CERTS=${CERTIFICATES} NPM_CONFIG_CAFILE=${CERTIFICATES}
`

/** Returns the name of an image that replaces the official one. `reason` says why that image can't be used. */
export async function makeNodeImage(official: string, reason: string): Promise<string> {
  process.stderr.write(
    `${official} can't be pulled (${reason.trim()}), so the test uses an image with the Node of this machine. The size of the base image is not tested.\n`,
  )
  await withWorkFolder(async (folder) => {
    const root = path.join(folder, 'root')
    const copy = async (file: string, target = file) => {
      await mkdir(path.dirname(path.join(root, target)), { recursive: true })
      await copyFile(file, path.join(root, target))
    }
    await copy(process.execPath, '/usr/local/bin/node')
    for (const file of [...PROGRAMS, CERTIFICATES]) await copy(file)
    const libraries = await runProgram('ldd', [process.execPath, ...PROGRAMS, NATIVE])
    for (const [, file = ''] of libraries.matchAll(/^\s.*?(\/\S+) \(/gm)) await copy(file)
    const npm = '/usr/local/lib/node_modules/npm'
    const installed = path.join((await runProgram('npm', ['root', '--global'])).trim(), 'npm')
    await cp(installed, root + npm, { recursive: true, dereference: true })
    await writeFile(path.join(root, '/usr/local/bin/npm'), `#!/bin/sh\nexec node ${npm}/bin/npm-cli.js "$@"\n`)
    await chmod(path.join(root, '/usr/local/bin/npm'), 0o755)
    await mkdir(path.join(root, 'tmp'))
    await chmod(path.join(root, 'tmp'), 0o1777)
    await writeFile(path.join(folder, 'Containerfile'), CONTAINERFILE)
    await runProgram('podman', ['build', '--isolation', 'chroot', '--tag', IMAGE, folder])
  })
  return IMAGE
}
