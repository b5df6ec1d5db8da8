// Declares the tools that a merchant can choose for a new key, and what connects each of them.

import type { Recipe } from '../pages/models.ts'
import type { Texts } from '../texts/en/english.ts'
import { recipesFor } from './recipes.ts'

/** A tool, and how it gets the key. */
export interface Tool {
  /** Value in forms and URLs. */
  readonly id: string
  /** English name of the tool. */
  readonly label: string
  /** ID of the recipe to paste into the tool; null without one. */
  readonly recipe: string | null
  /** Shell commands for the tool, with the key; null for a tool without a shell. */
  readonly commands: ((key: string, apiUrl: string) => string) | null
  /** Name of a guide in the API's URLs; null without one. */
  readonly guide: string | null
}

/** The tools in display order. */
export const TOOLS: readonly Tool[] = [
  { id: 'google-sheets', label: 'Google Sheets', recipe: 'google-sheets', commands: null, guide: 'google-sheets' },
  { id: 'excel', label: 'Excel', recipe: 'power-query', commands: null, guide: 'excel' },
  { id: 'power-bi', label: 'Power BI', recipe: 'power-query', commands: null, guide: 'power-bi' },
  { id: 'n8n', label: 'n8n', recipe: 'n8n', commands: null, guide: null },
  {
    id: 'store-sync',
    label: 'store-sync',
    recipe: null,
    commands: (key, apiUrl) =>
      `export STORE_EXPORT_KEY='${key}'\nnpx store-sync run --url '${apiUrl}' --to sqlite:shop.db`,
    guide: 'store-sync',
  },
  {
    id: 'curl',
    label: 'Shell script',
    recipe: 'curl',
    commands: runRecipe('bash orders.sh'),
    guide: 'incremental-sync',
  },
  {
    id: 'python',
    label: 'Python',
    recipe: 'python',
    commands: runRecipe('python3 orders.py'),
    guide: 'incremental-sync',
  },
  {
    id: 'typescript',
    label: 'TypeScript',
    recipe: 'typescript',
    commands: runRecipe('node orders.ts'),
    guide: 'client',
  },
]

/** Returns commands that run a recipe. The code of the recipe contains the URL of the API. */
function runRecipe(command: string): NonNullable<Tool['commands']> {
  return (key) => `export STORE_EXPORT_KEY='${key}'\n${command}`
}

/** What a merchant does to connect a tool to a new key. */
export interface Connection {
  /** The tool to connect. */
  readonly tool: Tool
  /** Code to paste into the tool; null without a recipe. */
  readonly recipe: Recipe | null
  /** Shell commands that contain the key; null for a tool without a shell. */
  readonly commands: string | null
  readonly guideHref: string | null
}

/** Returns the tool with this ID; null for another ID. */
export function findTool(id: string): Tool | null {
  return TOOLS.find((tool) => tool.id === id) ?? null
}

/** Returns the name of the tool, and of its key if the merchant enters no other name. */
export function toolName({ id, label }: Tool, { createKey }: Texts): string {
  return createKey.toolNames[id] ?? label
}

/** Returns how to connect a tool with a key to the API at `apiUrl`. */
export function connectionOf(tool: Tool, key: string, apiUrl: string): Connection {
  return {
    tool,
    recipe: recipesFor(apiUrl).find(({ id }) => id === tool.recipe) ?? null,
    commands: tool.commands?.(key, apiUrl) ?? null,
    guideHref: tool.guide === null ? null : `${apiUrl}/guides/${tool.guide}`,
  }
}
