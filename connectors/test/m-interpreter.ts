// Evaluates the part of the language of Power Query that connectors/power-query uses. Microsoft's parser parses it.
// Evaluation is lazy, as in Power Query. Everything else throws.

import { createRequire } from 'node:module'
import { Fn, Lazy, MError, type RecordValue, TypeValue, type Value } from './m-values.ts'

/** A node of the syntax tree. Only its parser knows its shape. */
// biome-ignore lint/suspicious/noExplicitAny: the kind of a node decides about its members
type Node = any

// The parser is loaded without its types, so that TypeScript does not check its declarations.
const parser = createRequire(import.meta.url)('@microsoft/powerquery-parser')

/** Returns the syntax tree. Throws if the text is not valid. */
export async function parseM(text: string): Promise<Node> {
  const task = await parser.TaskUtils.tryLexParse(parser.DefaultSettings, text)
  if (!parser.TaskUtils.isParseStageOk(task)) throw task.error
  return task.ast
}

/** Names in scope. In the expression of a name, the name itself needs an `@`. */
export class Scope {
  private readonly names: ReadonlyMap<string, Lazy>
  private readonly outer: Scope | null
  private readonly hidden: string | null

  constructor(names: ReadonlyMap<string, Lazy>, outer: Scope | null, hidden: string | null = null) {
    this.names = names
    this.outer = outer
    this.hidden = hidden
  }

  /**
   * Returns the value of a name. `isInclusive` is whether the name was written with an `@`. Throws for an unknown name.
   */
  find(name: string, isInclusive: boolean): Lazy {
    const found = name === this.hidden && !isInclusive ? undefined : this.names.get(name)
    if (found !== undefined) return found
    if (this.outer === null) throw new Error(`the name ${name} does not exist`)
    return this.outer.find(name, isInclusive)
  }

  /** Returns the scope for the expression of `name`, in which the name needs an `@`. */
  hiding(name: string): Scope {
    return new Scope(this.names, this.outer, name)
  }
}

/** Evaluates a document with these names in scope. */
export async function evaluateM(text: string, names: ReadonlyMap<string, Lazy>): Promise<Value> {
  return evaluate(await parseM(text), new Scope(names, null))
}

export function invoke(fn: Value, given: readonly Lazy[]): Promise<Value> {
  if (!(fn instanceof Fn)) throw new Error('this value is not a function')
  if (given.length < fn.required || given.length > fn.most)
    throw new Error(`${given.length} arguments were passed to a function which expects ${fn.required} to ${fn.most}`)
  return fn.call(given)
}

type Evaluator = (node: Node, scope: Scope) => Promise<Value>

const EVALUATORS: Readonly<Record<string, Evaluator>> = {
  LiteralExpression: async ({ literal, literalKind }) => literalOf(literal, literalKind),
  IdentifierExpression: (node, scope) =>
    scope.find(nameOf(node.identifier), node.inclusiveConstant !== undefined).get(),
  ParenthesizedExpression: (node, scope) => evaluate(node.content, scope),
  LetExpression: (node, scope) => evaluate(node.expression, scopeOf(pairsOf(node.variableList), scope).inner),
  RecordExpression: async (node, scope) => scopeOf(pairsOf(node.content), scope).names,
  ListExpression: async (node, scope) => itemsOf(node.content).map((item) => later(item, scope)),
  FunctionExpression: async (node, scope) => functionOf(node, scope),
  IfExpression: async (node, scope) => {
    const condition = await evaluate(node.condition, scope)
    if (typeof condition !== 'boolean') throw new Error('the condition is not a logical value')
    return evaluate(condition ? node.trueExpression : node.falseExpression, scope)
  },
  ErrorRaisingExpression: async (node, scope) => {
    const error = (await evaluate(node.paired, scope)) as RecordValue
    const field = async (name: string) => String(await error.get(name)?.get())
    throw new MError(await field('Reason'), await field('Message'), await field('Detail'))
  },
  IsExpression: async (node, scope) => primitiveOf(await evaluate(node.left, scope)) === node.right.primitiveTypeKind,
  UnaryExpression: async (node, scope) => {
    const value = await evaluate(node.typeExpression, scope)
    const operators = node.operators.elements.map(({ constantKind }: Node) => constantKind)
    if (operators.join() !== 'not' || typeof value !== 'boolean') throw new Error(`cannot apply ${operators}`)
    return !value
  },
  ArithmeticExpression: binary(arithmetic),
  RelationalExpression: binary(relation),
  EqualityExpression: binary(async (operator, left, right) => (operator === '=') === isEqual(left, right)),
  LogicalExpression: async (node, scope) => {
    const left = await evaluate(node.left, scope)
    const isAnd = node.operatorConstant.constantKind === 'and'
    return left === isAnd ? evaluate(node.right, scope) : left
  },
  RecursivePrimaryExpression: async (node, scope) => {
    let value = await evaluate(node.head, scope)
    for (const each of node.recursiveExpressions.elements) value = await access(value, each, scope)
    return value
  },
  TypePrimaryType: (node) => Promise.resolve(typeOf(node.paired)),
}

export function evaluate(node: Node, scope: Scope): Promise<Value> {
  const evaluator = EVALUATORS[node.kind]
  if (evaluator === undefined) throw new Error(`${node.kind} is not implemented`)
  return evaluator(node, scope)
}

function later(node: Node, scope: Scope): Lazy {
  return new Lazy(() => evaluate(node, scope))
}

function literalOf(literal: string, kind: string): Value {
  if (kind === 'Text') return literal.slice(1, -1).replaceAll('""', '"')
  if (kind === 'Numeric') return Number(literal)
  if (kind === 'Logical') return literal === 'true'
  if (kind === 'Null') return null
  throw new Error(`the literal ${literal} is not implemented`)
}

function nameOf({ literal }: Node): string {
  return literal.startsWith('#"') ? literal.slice(2, -1) : literal
}

function itemsOf(wrapper: Node): Node[] {
  return wrapper.elements.map(({ node }: Node) => node)
}

function pairsOf(wrapper: Node): [string, Node][] {
  return itemsOf(wrapper).map(({ key, value }) => [nameOf(key), value])
}

/** Returns the values of a `let` or a record, which can refer to each other, and a scope with them. */
function scopeOf(pairs: readonly [string, Node][], outer: Scope): { names: RecordValue; inner: Scope } {
  const names = new Map<string, Lazy>()
  const inner = new Scope(names, outer)
  for (const [name, value] of pairs) {
    if (names.has(name)) throw new Error(`the name ${name} is declared twice`)
    names.set(name, later(value, inner.hiding(name)))
  }
  return { names, inner }
}

function functionOf(node: Node, scope: Scope): Fn {
  const parameters = itemsOf(node.parameters.content)
  const required = parameters.filter(({ optionalConstant }) => optionalConstant === undefined).length
  return new Fn(required, parameters.length, async (given) => {
    const names = new Map<string, Lazy>()
    for (const [place, { name, parameterType }] of parameters.entries()) {
      const value = given[place] ?? Lazy.of(null)
      if (parameterType !== undefined) checkType(await value.get(), parameterType.paired, nameOf(name))
      names.set(nameOf(name), value)
    }
    return evaluate(node.expression, new Scope(names, scope))
  })
}

function checkType(value: Value, type: Node, name: string): void {
  const isNullable = type.kind === 'NullablePrimitiveType'
  const { primitiveTypeKind } = isNullable ? type.paired : type
  const actual = primitiveOf(value)
  if (actual === primitiveTypeKind || (isNullable && value === null)) return
  throw new Error(`${name} is of type ${actual}, not ${primitiveTypeKind}`)
}

/** Returns the name of the primitive type of a value. */
export function primitiveOf(value: Value): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Map) return 'record'
  if (typeof value === 'boolean') return 'logical'
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  const { name } = value.constructor
  if (name === 'DateTime') return 'hasZone' in value && value.hasZone ? 'datetimezone' : 'datetime'
  const names: Readonly<Record<string, string>> = { Fn: 'function', Currency: 'number', TypeValue: 'type' }
  return names[name] ?? name.replace('Value', '').toLowerCase()
}

function typeOf(node: Node): TypeValue {
  if (node.kind === 'NullableType') return new TypeValue(`nullable ${typeOf(node.paired).name}`)
  if (node.kind === 'PrimitiveType') return new TypeValue(node.primitiveTypeKind)
  if (node.kind === 'IdentifierExpression') return new TypeValue(nameOf(node.identifier))
  if (node.kind !== 'TableType') throw new Error(`the type ${node.kind} is not implemented`)
  const columns = itemsOf(node.rowType.content).map(
    ({ name, fieldTypeSpecification }) => [nameOf(name), typeOf(fieldTypeSpecification.fieldType).name] as const,
  )
  return new TypeValue('table', new Map(columns))
}

async function access(value: Value, node: Node, scope: Scope): Promise<Value> {
  if (node.kind === 'InvokeExpression')
    return invoke(
      value,
      itemsOf(node.content).map((item) => later(item, scope)),
    )
  if (node.kind === 'FieldSelector') {
    const field = value instanceof Map ? value.get(nameOf(node.content)) : undefined
    if (field === undefined) throw new Error(`the field ${nameOf(node.content)} was not found`)
    return field.get()
  }
  if (node.kind !== 'ItemAccessExpression' || !Array.isArray(value)) throw new Error(`${node.kind} is not implemented`)
  const item = value[(await evaluate(node.content, scope)) as number]
  if (item === undefined) throw new Error('there were not enough elements')
  return item.get()
}

type Operation = (operator: string, left: Value, right: Value) => Promise<Value>

function binary(operation: Operation): Evaluator {
  return async (node, scope) =>
    operation(node.operatorConstant.constantKind, await evaluate(node.left, scope), await evaluate(node.right, scope))
}

async function arithmetic(operator: string, left: Value, right: Value): Promise<Value> {
  if (operator === '&' && typeof left === 'string' && typeof right === 'string') return left + right
  if (operator === '&' && left instanceof Map && right instanceof Map) return new Map([...left, ...right])
  if (operator === '+' && typeof left === 'number' && typeof right === 'number') return left + right
  if (operator === '-' && typeof left === 'number' && typeof right === 'number') return left - right
  throw new Error(`cannot apply ${operator} to ${primitiveOf(left)} and ${primitiveOf(right)}`)
}

async function relation(operator: string, left: Value, right: Value): Promise<Value> {
  if (typeof left !== 'number' || typeof right !== 'number') throw new Error(`cannot apply ${operator}`)
  if (operator === '<') return left < right
  if (operator === '>') return left > right
  throw new Error(`the operator ${operator} is not implemented`)
}

/** Compares values of primitive types. Values of different types are not equal. Throws for two compound values. */
export function isEqual(left: Value, right: Value): boolean {
  const isCompound = (value: Value) => typeof value === 'object' && value !== null
  if (isCompound(left) && isCompound(right)) throw new Error('the equality of such values is not implemented')
  return left === right
}
