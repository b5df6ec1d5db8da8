// Texts of the page of a new key, and of the page that can't show it again.

import { type Html, html } from '../../ui/html.ts'
import type { Duration, Format } from '../format.ts'
import { common } from './common.ts'

export const keyCreated = (format: Format) => {
  const { requests, rows } = common(format)
  return {
    title: 'Your new key',
    lead: (name: string) => html`Copy the key for <strong>${name}</strong> into the tool now.`,
    key: 'Key',
    warning:
      'You can see this key for ten minutes, or until you confirm that you copied it. After that, you can only replace it.',
    firstRequest: 'First request',
    waiting: html`<strong>Waiting for the first request.</strong> It appears here a few seconds after the tool runs.`,
    rejected: (sent: number, { code, endpoint }: { readonly code: string; readonly endpoint: string }) =>
      html`<strong>Rejected:</strong> ${requests(sent)}, the last one with <code>${code}</code> for <code>${endpoint}</code>.`,
    connected: (sent: number, read: number) => html`<strong>Connected:</strong> ${requests(sent)}, ${rows(read)}.`,
    requestLog: 'Request log',
    hasCopied: 'I have copied the key',
    recipes: 'Recipes for your tool',
    tryIt: {
      title: 'Try it',
      note: 'Paste this command into a terminal. It returns the details of your store.',
      label: 'Shell command',
    },
    connect: {
      title: (tool: string) => `Connect ${tool}`,
      noteOfStoreSync: 'Paste these commands into a terminal, in the folder of store-sync.',
      commands: 'Shell commands',
      guide: 'Open the guide',
    },
    old: {
      title: 'The old key still works',
      titleOff: 'The old key is turned off',
      text: (name: string, key: Html, endsAfter: Duration) =>
        html`Put the new key into the tool. The old key <strong>${name}</strong> (${key}) ends ${format.duration(endsAfter)} after the first use of the new one. You can also revoke the old key earlier.`,
      firstChoice: (endsAfter: Duration | null) =>
        `Your new choice changed nothing, because this form had already created the new key. ${endsAfter === null ? 'The old key has ended.' : `The old key ends ${format.duration(endsAfter)} after the first use of the new one.`}`,
    },
    unavailable: {
      title: 'This key can’t be shown again',
      lead: (name: string) => html`The key <strong>${name}</strong> exists, but we don’t store a copy of it.`,
      hasKey: 'I have the key',
      unused:
        'If you didn’t copy the key, replace it. You get a new key, and this key is revoked. No tool uses it yet.',
      used: 'A tool already uses this key. You can replace it without stopping the tool.',
      replaceAtOnce: 'Replace it with a new key',
    },
  }
}

export type KeyCreatedTexts = ReturnType<typeof keyCreated>
