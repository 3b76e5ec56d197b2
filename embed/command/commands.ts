import type { Command } from './command.ts'
import { events } from './events.ts'
import { listen } from './listen.ts'
import { orders } from './orders.ts'
import { trigger } from './trigger.ts'

export const commands: readonly Command[] = [listen, trigger, orders, events]
