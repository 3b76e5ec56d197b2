import { parseArgs } from 'node:util'
import { switchApiKeyOff } from '../organizations/api-keys.ts'
import { organizationById, putApiKey } from '../organizations/organizations.ts'
import { type Command, UsageError, withDatabase } from './command.ts'
import { newKey, printKey } from './organization.ts'

/** To change keys without downtime, create the new one, move the merchant's server to it, then switch the old one off. */
export const apiKey: Command = {
  usage: `api-key --organisation org_… [--label TEXT]
  Creates another key for an organisation.
  api-key --off key_…
  Switches a key off. Every process rejects it within five seconds.`,
  async run(args, env, say) {
    const options = { organisation: { type: 'string' }, label: { type: 'string', default: '' }, off: { type: 'string' } } as const
    const { organisation, label, off } = parseArgs({ args: [...args], options }).values
    if ((organisation === undefined) === (off === undefined)) throw new UsageError('Pass either --organisation or --off.')
    await withDatabase(env, async (sql) => {
      if (off !== undefined) {
        if (!(await switchApiKeyOff(sql, off))) throw new Error(`There is no active key ${off}.`)
        return say(`off           ${off}`)
      }
      const { id, isLive } = await organizationById(sql, organisation ?? '')
      const key = newKey(isLive, label)
      await putApiKey(sql, id, key)
      printKey(key, say)
    })
  },
}
