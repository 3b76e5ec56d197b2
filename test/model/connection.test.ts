import { expect, test } from 'vitest'
import { createConnection } from '../../src/model/connection.ts'

test('default: a lost connection comes back', () => {
  const { state, lose, regain } = createConnection()
  lose(5)
  expect(state.value).toEqual({ at: 'lost', since: 5 })
  regain()
  expect(state.value).toEqual({ at: 'live' })
})

test('error: an answer of the service does not bring back a module that could not be fetched', () => {
  const { state, lose, regain, giveUp } = createConnection()
  giveUp(5)
  lose(6)
  regain()
  expect(state.value).toEqual({ at: 'absent', since: 5 })
})
