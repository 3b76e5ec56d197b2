import { afterAll, beforeAll } from 'vitest'
import { openShop, type Shop } from '../service/checkout.ts'
import { startService, type Service, unhurried } from '../service/service.ts'
import { startMerchantSite, type MerchantSite } from './merchant-page.ts'

interface ShopSite {
  readonly service: Service
  readonly shop: Shop
  readonly site: MerchantSite
}

/** Starts a service, a shop that uses it and a site of that shop for the test file. They are members, because they exist only once tests run. */
export function useShopSite(): ShopSite {
  const here = {} as { -readonly [P in keyof ShopSite]: ShopSite[P] }
  beforeAll(async () => {
    ;[here.service, here.site] = await Promise.all([startService({ env: unhurried }), startMerchantSite()])
    here.shop = await openShop(here.service)
  })
  afterAll(() => Promise.all([here.service?.close(), here.site?.close()]))
  return here
}
