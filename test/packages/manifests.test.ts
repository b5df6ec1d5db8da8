// Renders the manifests in deploy/kubernetes with kustomize, validates them with the schemas of Kubernetes, and
// compares them with the code.

import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { installTool, type PythonTool, runProgram, withWorkFolder } from '../../connectors/test/python-tool.ts'
import { readConfig } from '../../packages/operator/src/config.ts'
import { startOperationsListener } from '../../packages/operator/src/operations-listener.ts'
import type { Setting } from '../../packages/operator/src/settings/setting.ts'
import { SETTINGS } from '../../packages/operator/src/settings.ts'
import { shutdownTimeoutMs } from '../../packages/operator/src/start-serving.ts'
import { commandProblems } from '../../scripts/markdown-claims.ts'
import { STORE_EXPORT } from '../../scripts/programs.ts'

/** The oldest and the newest version of Kubernetes whose schemas the manifests must match. */
const KUBERNETES_VERSIONS = ['1.30', '1.37']
const VALIDATOR = 'kubernetes-validate==1.37.0'
/** Commands that render a folder. The first one that is installed is used; Go builds kustomize. */
const KUSTOMIZE = ['kubectl kustomize', 'kustomize build', 'go run sigs.k8s.io/kustomize/kustomize/v5@v5.6.0 build']
const ROOT = path.resolve(import.meta.dirname, '..', '..')
const TO_JSON = 'import json, sys, yaml; json.dump(list(yaml.safe_load_all(sys.stdin)), sys.stdout)'
/** Memory of a node in addition to unread responses. */
const PROCESS_BYTES = 128 * 1024 ** 2

/** The members that the tests read. The schemas of Kubernetes check all members. */
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly timeoutSeconds: number
  readonly failureThreshold: number
}
interface Container {
  readonly args: readonly string[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
  readonly resources: { readonly limits: { readonly memory: string } }
}
interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Container] }
}
interface KubernetesObject {
  readonly kind: string
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> }
  readonly data: Readonly<Record<string, string>>
  readonly spec: {
    readonly template: PodTemplate
    readonly selector: Readonly<Record<string, unknown>>
    readonly ports: readonly { readonly targetPort: string }[]
  }
}

let validator: PythonTool
beforeAll(async () => {
  validator = await installTool('kubernetes-validate', [VALIDATOR])
})

async function render(folder: string): Promise<string> {
  for (const command of KUSTOMIZE) {
    const [program = '', ...parameters] = command.split(' ')
    try {
      return await runProgram(program, [...parameters, path.join(ROOT, 'deploy', 'kubernetes', folder)])
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  throw new Error(`npm run test:manifests needs one of: ${KUSTOMIZE.join('; ')}`)
}

describe.each(['base', 'example'])('deploy/kubernetes/%s', (folder) => {
  let yaml: string
  let objects: readonly KubernetesObject[]
  beforeAll(async () => {
    yaml = await render(folder)
    objects = JSON.parse(await runProgram(validator.program('python'), ['-c', TO_JSON], { input: yaml }))
  })

  const one = (kind: string): KubernetesObject => {
    const [found, ...others] = objects.filter((object) => object.kind === kind)
    if (found === undefined || others.length > 0) throw new Error(`expected one ${kind}, got ${others.length + 1}`)
    return found
  }
  const node = () => one('Deployment').spec.template
  const config = () => readConfig(one('ConfigMap').data).config

  test.each(KUBERNETES_VERSIONS)('all objects in the manifests match the schemas of Kubernetes %s', async (version) => {
    await withWorkFolder(async (work) => {
      const file = path.join(work, 'rendered.yaml')
      await writeFile(file, yaml)
      await runProgram(validator.program('kubernetes-validate'), ['--strict', '--quiet', '-k', version, file])
    })
  })

  test('the ConfigMap contains only settings that the service knows, and no secret', () => {
    const { data } = one('ConfigMap')
    expect(readConfig(data).warnings).toEqual([])
    const secrets = Object.values<Setting>(SETTINGS).filter(({ kind }) => kind === 'secret')
    expect(secrets.filter(({ env }) => env in data)).toEqual([])
  })

  test('the container ports equal the ports in the ConfigMap, and no Service publishes the operations port', () => {
    const ports = Object.fromEntries(node().spec.containers[0].ports.map((port) => [port.name, port.containerPort]))
    const { host, port, dashboardPort, operationsPort } = config()
    expect(ports).toEqual({ api: port, dashboard: dashboardPort, operations: operationsPort })
    expect(host).toBe('0.0.0.0')
    expect(one('Service').spec.ports.map(({ targetPort }) => targetPort)).toEqual(['api', 'dashboard'])
    expect(node().metadata.labels).toMatchObject(one('Service').spec.selector)
    expect(node().metadata.labels).toMatchObject(one('PodDisruptionBudget').spec.selector.matchLabels ?? {})
  })

  test('the readiness probe fails within LAME_DUCK_SECONDS, and terminationGracePeriodSeconds covers the shutdown timeout', () => {
    const { terminationGracePeriodSeconds, containers } = node().spec
    const { periodSeconds, timeoutSeconds, failureThreshold } = containers[0].readinessProbe
    expect(terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(shutdownTimeoutMs(config()))
    expect(periodSeconds * failureThreshold + timeoutSeconds).toBeLessThan(config().lameDuckSeconds)
  })

  test('the label selector component!=node selects every object in the manifests except the Deployment of the nodes', () => {
    const nodes = objects.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] === 'node')
    expect(nodes.map(({ kind }) => kind)).toEqual(['Deployment'])
  })

  test("the container's memory limit in the Kubernetes manifest is at least the response buffer plus 128 MiB for the process", () => {
    const [, mebibytes] = /^(\d+)Mi$/.exec(node().spec.containers[0].resources.limits.memory) ?? []
    expect(Number(mebibytes) * 1024 ** 2).toBeGreaterThanOrEqual(config().responseBufferBytesMax + PROCESS_BYTES)
  })

  test('while a node stops, the liveness probe of the Deployment passes and the readiness probe fails', async () => {
    const stopping = await startOperationsListener({
      host: '127.0.0.1',
      port: 0,
      whyNotReady: async () => 'stopping',
      metrics: async () => ({ text: '', contentType: 'text/plain' }),
    })
    const { livenessProbe, readinessProbe } = node().spec.containers[0]
    const statusOf = async ({ httpGet }: Probe) => (await fetch(stopping.url + httpGet.path)).status
    const statuses = [await statusOf(livenessProbe), await statusOf(readinessProbe)]
    await stopping.close()
    expect(statuses).toEqual([200, 503])
    expect([livenessProbe.httpGet.port, readinessProbe.httpGet.port]).toEqual(['operations', 'operations'])
  })

  test.each(['Deployment', 'Job'])(
    'the %s runs a known store-export command as the user of the image, without privileges',
    (kind) => {
      const { containers, ...pod } = one(kind).spec.template.spec
      const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')
      const [, user, group] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? []
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: Number(user),
          runAsGroup: Number(group),
          seccompProfile: { type: 'RuntimeDefault' },
        },
      })
      expect(containers).toHaveLength(1)
      expect(containers[0]).toMatchObject({
        args: [kind === 'Job' ? 'migrate' : 'serve', ...containers[0].args.slice(1)],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      })
      expect(commandProblems([STORE_EXPORT.program], `store-export ${containers[0].args.join(' ')}`)).toEqual([])
    },
  )
})
