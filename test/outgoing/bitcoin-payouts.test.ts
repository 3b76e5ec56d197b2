import { afterAll } from 'vitest'
import { payoutsContract } from '../contracts/payouts.ts'
import { bitcoinNodes, recordNodes } from '../support/service/bitcoin-nodes.ts'
import { bitcoinPayoutsUnderTest } from './bitcoin-support.ts'

const { recorded, say } = recordNodes()

for (const { name, start } of bitcoinNodes) payoutsContract(`Bitcoin on ${name}`, () => bitcoinPayoutsUnderTest(() => recorded(start())))

afterAll(() => say('The payouts contract of Bitcoin'))
