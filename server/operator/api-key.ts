import { parseArgs } from 'node:util'
import { switchApiKeyOff } from '../organizations/api-keys.ts'
import { organizationById, putApiKey } from '../organizations/organizations.ts'
import { type Command, UsageError, withDatabase } from './command.ts'
import { newKey, printKey } from './organisation.ts'

/** Changing keys without a gap: make the new one, move the merchant's server to it, switch the old one off. */
export const apiKey: Command = {
  usage: `api-key --organisation org_… [--label TEXT]
  Makes one more key for an organisation.
  api-key --off key_…
  Switches a key off. Every process has heard of it within five seconds.`,
  async run(args, env, say) {
    const options = { organisation: { type: 'string' }, label: { type: 'string', default: '' }, off: { type: 'string' } } as const
    const { organisation, label, off } = parseArgs({ args: [...args], options }).values
    if ((organisation === undefined) === (off === undefined)) throw new UsageError('Name an organisation, or a key to switch off.')
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
