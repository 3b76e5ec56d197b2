import * as z from 'zod/mini'
import { ApiError } from './api-error.ts'

/** A 400 response lists these in `details.issues`. */
export interface Issue {
  /** Joins members with dots, as in `items.0.quantity`, and is empty if the issue is with the whole body or query. */
  readonly path: string
  readonly message: string
}

const mostIssues = 20
const longestMemberShown = 100

/** Refuses invalid input with messages of our own, since the library's make sense only to those who know it. */
export function parseOrRefuse<S extends z.ZodMiniType>(schema: S, value: unknown, at: string): z.infer<S> {
  const parsed = z.safeParse(schema, value, { error: sentenceOf })
  if (parsed.success) return parsed.data
  const issues = issuesOf(parsed.error.issues).slice(0, mostIssues)
  const [first = { path: '', message: 'it is not what is asked for' }] = issues
  throw new ApiError(400, `Invalid ${at}: ${first.path && `${first.path}: `}${first.message}.`, { issues })
}

type ZodIssue = z.core.$ZodIssue

const issuesOf = (issues: readonly ZodIssue[], above: readonly PropertyKey[] = []): Issue[] =>
  issues.flatMap((issue): Issue[] => {
    const path = [...above, ...issue.path]
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        path: named([...path, key]),
        message: 'this API knows no such member here: check its spelling, or leave it out',
      }))
    const closest = issue.code === 'invalid_union' ? closestOf(issue.errors) : undefined
    return closest ? issuesOf(closest, path) : [{ path: named(path), message: issue.message }]
  })

/** The caller probably meant the form with the fewest unknown members. In a tie the last wins, since a schema lists short forms first. */
function closestOf(forms: readonly ZodIssue[][]): ZodIssue[] | undefined {
  const unknowns = (issues: readonly ZodIssue[]): number =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0)
  return forms.reduce<ZodIssue[] | undefined>((best, form) => (best && unknowns(best) < unknowns(form) ? best : form), undefined)
}

const named = (path: readonly PropertyKey[]): string => path.map((key) => String(key).slice(0, longestMemberShown)).join('.')

/** The library uses these messages only where a schema does not define its own. */
const sentenceOf: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `expected ${kinds[issue.expected] ?? issue.expected}, got ${kindOf(issue.input)}`
    case 'invalid_value':
      return issue.values.length === 1 ? `must be ${String(issue.values[0])}` : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_big':
      return `must ${extent(issue.origin, 'most', issue.maximum)}`
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty'
      return `must ${extent(issue.origin, 'least', issue.minimum)}`
    case 'invalid_format':
      return formats[issue.format] ?? 'does not have the form that is asked for'
    default:
      return 'is not what is asked for'
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return kinds[typeof value] ?? typeof value
}

const formats: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  url: 'must be an address (URL)',
  date: 'must be a date like 2026-05-12',
  datetime: 'must be a time like 2026-05-12T14:02:00Z',
}

function extent(origin: string, end: 'most' | 'least', limit: number | bigint): string {
  if (origin === 'string') return `have at ${end} ${limit} characters`
  if (origin === 'array') return `have at ${end} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  return `be at ${end} ${limit}`
}
