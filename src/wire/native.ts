/** The native coin is null in CurrencyBase and this address in Currency; both are accepted and equal. */
export const nativeAddress = '0x0000000000000000000000000000000000000000'
