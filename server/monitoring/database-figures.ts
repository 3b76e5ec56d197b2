import type { Chain } from '../chains/chain.ts'
import type { Sql } from '../database/connect.ts'
import { logLag } from '../events/log.ts'
import { waitingMails } from '../invoices/waiting-mails.ts'
import { countSetAside } from '../orders/set-aside.ts'
import { heldTransfers, unsettledStatuses, waitingOrders } from '../orders/waiting-orders.ts'
import { waitingDeliveries } from '../webhooks/waiting-deliveries.ts'
import type { Figure, Sample } from './gauge-of.ts'
import { type Figures, figuresOf, type ReadingTools } from './figures.ts'

export function databaseFigures(sql: Sql, chains: readonly Pick<Chain, 'id'>[], tools: ReadingTools): readonly Figures[] {
  const figuresOfRead = <T>(name: string, work: () => Promise<T>, figures: readonly Figure<T>[]) =>
    figuresOf([name], () => ({ name, work }), figures, tools)
  return [
    figuresOfRead('log', () => logLag(sql), [
      {
        name: 'till_event_log_lag_seconds',
        help: 'For so long the oldest event that nobody can read yet has waited for a transaction that still runs',
        samples: (lagMs) => plain(lagMs / 1000),
      },
    ]),
    figuresOfRead('deliveries', () => waitingDeliveries(sql), [
      {
        name: 'till_deliveries_waiting',
        help: 'Webhook deliveries that their receivers have not accepted yet; of each receiver no more than 100 are counted',
        samples: ({ deliveries }) => plain(deliveries),
      },
      {
        name: 'till_deliveries_overdue_seconds',
        help: 'For so long the delivery that is due first has been due, of the receivers that answer',
        samples: ({ overdue }) => plain(overdue),
      },
      {
        name: 'till_webhooks_waiting',
        help: 'Webhooks with deliveries that they have not accepted yet, no more than 1000',
        samples: ({ endpoints }) => plain(endpoints),
      },
      {
        name: 'till_webhooks_silent',
        help: 'Those of them that have not answered three times in a row',
        samples: ({ silent }) => plain(silent),
      },
      {
        name: 'till_webhooks_failing',
        help: 'Those of them that have accepted nothing for an hour, whatever they answer',
        samples: ({ failing }) => plain(failing),
      },
    ]),
    figuresOfRead('orders', () => waitingOrders(sql), [
      {
        name: 'till_orders_oldest_seconds',
        help: 'For so long the oldest order with money that is not settled has had its status',
        labels: ['status'],
        samples: ({ oldest }) => unsettledStatuses.map((status) => ({ labels: { status }, value: oldest[status] })),
      },
      {
        name: 'till_orders_overdue_seconds',
        help: 'For so long the order whose timer is due first has been due',
        samples: ({ overdue }) => plain(overdue),
      },
    ]),
    figuresOfRead(
      'held',
      () =>
        heldTransfers(
          sql,
          chains.map(({ id }) => id),
        ),
      [
        {
          name: 'till_held_transfers',
          help: 'Payments that are held, by chain and by how long: less than a day, less than a week, or older; no more than 1000 of each are counted',
          labels: ['chain', 'age'],
          samples: (held) => held.map(({ chainId, age, count }) => ({ labels: { chain: String(chainId), age }, value: count })),
        },
      ],
    ),
    figuresOfRead('set_aside', () => countSetAside(sql), [
      {
        name: 'till_orders_set_aside',
        help: 'Orders that cannot record their transfers, or what others have moved, by chain; each is retried with back-off',
        labels: ['chain'],
        samples: (counts) =>
          chains.map(({ id }) => ({ labels: { chain: String(id) }, value: counts.find(({ chainId }) => chainId === id)?.count ?? 0 })),
      },
    ]),
    figuresOfRead('mails', () => waitingMails(sql), [
      { name: 'till_mails_waiting', help: 'Mails that are not sent yet, no more than 1000', samples: ({ mails }) => plain(mails) },
      {
        name: 'till_mails_overdue_seconds',
        help: 'For so long the mail that is due first has been due',
        samples: ({ overdue }) => plain(overdue),
      },
    ]),
  ]
}

const plain = (value: number): readonly Sample[] => [{ value }]
