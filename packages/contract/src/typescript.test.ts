import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { CONTRACT, resourcesOf, typeName } from './contract.ts'
import { exampleOf } from './example.ts'
import { typescriptTypes } from './typescript.ts'

const FILE = 'types.ts'

/** Returns the errors of the strict compiler for the types followed by `use`. */
function compileErrors(use = ''): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    isolatedDeclarations: true,
    declaration: true,
    skipLibCheck: true,
    lib: ['lib.es5.d.ts'],
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (name, version) =>
    name === FILE ? ts.createSourceFile(name, `${typescriptTypes()}\n${use}\n`, version) : getSourceFile(name, version)
  const program = ts.createProgram({ rootNames: [FILE], options, host })
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe('generated TypeScript types', () => {
  it('the generated TypeScript types compile and accept every example', () => {
    const values = resourcesOf(CONTRACT).map(
      (each) => `export const a${typeName(each)}: ${typeName(each)} = ${JSON.stringify(exampleOf(each))}`,
    )
    expect(compileErrors(values.join('\n'))).toEqual([])
  })

  it('[R33] the generated TypeScript types accept an undocumented order status', () => {
    expect(compileErrors("export const status: Order['status'] = 'packed'")).toEqual([])
  })

  it('the generated TypeScript types declare the fields of stored JSON, such as tax_breakdown and metafields', () => {
    expect(
      compileErrors(`declare const order: Order, product: Product
        export const cents: number | undefined = order.tax_breakdown?.[0]?.taxCents
        export const color: JsonValue | undefined = order.items[0]?.attributes?.Color
        export const key: string | undefined = product.metafields[0]?.key
        export const text: string = String(product.metafields[0]?.value)
        export const name: string | null | undefined = product.translations?.de?.name`),
    ).toEqual([])
    expect(typescriptTypes()).not.toMatch(/\bunknown\b|\b(interface|type) Error\b/)
  })

  it('the generated TypeScript types reject an amount that is a number', () => {
    expect(compileErrors("export const total: Order['total'] = 19.9")).toHaveLength(1)
  })

  it('[FMT-6] the generated type of a newer field has a comment that says at which schema versions the field is null', () => {
    expect(typescriptTypes()).toContain(
      '  /** Currency of the order, as an ISO 4217 code. null means the store_currency of the store. null on stores older than v1.1. */\n  currency: string | null',
    )
  })
})
