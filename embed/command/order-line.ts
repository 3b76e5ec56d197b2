import { isObject, isText } from './json.ts'

/** An order in a few words. Members that this command does not know, or that are missing, are left out. */
export function orderLine({ id, status, price }: Readonly<Record<string, unknown>>): string {
  const amount = isObject(price) && isText(price.amount) && isText(price.unit) ? `${price.amount} ${price.unit.toUpperCase()}` : ''
  return [isText(status) ? status.padEnd(21) : '', isText(id) ? id : '', amount].filter(Boolean).join('  ')
}
