// What a test knows of walks that did not end: a run that goes on with one has met what was there when that began, not
// what was there when it began itself.

import { type Copy, NEW_COPY } from '../../src/copies/copy.ts'
import { TABLES } from '../../src/index.ts'
import type { StoreModel } from './store-model.ts'

/** When a walk began. */
interface Begun {
  readonly startedAt: string
  readonly moment: number
}

/** Follows the runs of one copy. */
export class KeptWalks {
  /** By table. */
  #begun = new Map<string, Begun>()

  /** Whether a run could go on with one. */
  get isEmpty(): boolean {
    return this.#begun.size === 0
  }

  /** A run that walked everything has come to its end, which began at `moment` of the model. */
  caughtUp(model: StoreModel, moment: number): void {
    for (const { name } of TABLES) model.caughtUp(this.#begun.get(name)?.moment ?? moment, [name])
  }

  /** A run has ended in any way, which began at `moment` of the model. */
  async look(copy: Copy, moment: number): Promise<void> {
    const { unfinished } = (await copy.peek()) ?? NEW_COPY
    this.#begun = new Map(
      [...unfinished].map(([table, { startedAt }]): [string, Begun] => {
        const known = this.#begun.get(table)
        return [table, known?.startedAt === startedAt ? known : { startedAt, moment }]
      }),
    )
  }
}
