// Tracks the unfinished syncs of a copy. A resumed full sync has read the rows that existed when it started, not those
// that existed when the resuming run started.

import { type Copy, NEW_COPY } from '../../src/copies/copy.ts'
import { TABLES } from '../../src/index.ts'
import type { StoreModel } from './store-model.ts'

interface WalkStart {
  readonly startedAt: string
  readonly moment: number
}

export class UnfinishedWalks {
  #walks = new Map<string, WalkStart>()

  /** Whether there is no walk to resume. */
  get isEmpty(): boolean {
    return this.#walks.size === 0
  }

  /** Call this after a full sync that started at `moment` of the model. */
  fullySynced(model: StoreModel, moment: number): void {
    for (const { name } of TABLES) model.fullySynced(this.#walks.get(name)?.moment ?? moment, [name])
  }

  /** Call this after every run that started at `moment` of the model. */
  async update(copy: Copy, moment: number): Promise<void> {
    const { unfinished } = (await copy.peek()) ?? NEW_COPY
    this.#walks = new Map(
      [...unfinished].map(([table, { startedAt }]): [string, WalkStart] => {
        const known = this.#walks.get(table)
        return [table, known?.startedAt === startedAt ? known : { startedAt, moment }]
      }),
    )
  }
}
