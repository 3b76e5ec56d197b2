import * as z from 'zod/mini'
import { text } from './scalars.ts'

const mostOwn = 20
const ownName = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/
const OwnValue = text(500)

/** Besides these members, a merchant can store up to `mostOwn` strings under other names, which are returned unchanged. */
export const metadata = <S extends z.core.$ZodShape>(shape: S) =>
  z.looseObject(shape).check((ctx) => {
    const own = Object.entries(ctx.value).filter(([name]) => !Object.hasOwn(shape, name))
    const refuse = (path: string[], message: string) => ctx.issues.push({ code: 'custom', input: ctx.value, path, message })
    if (own.length > mostOwn) refuse([], `must have at most ${mostOwn} members of your own`)
    for (const [name, value] of own.slice(0, mostOwn)) {
      if (!ownName.test(name)) refuse([name], 'must be named by a letter and up to 63 letters, digits, points, hyphens or underscores')
      else if (!z.safeParse(OwnValue, value).success)
        refuse([name], 'must be a string of at most 500 characters: it is a member of your own')
    }
  })
