// Compiled from ../Forwarder.sol: npm run contracts
export const Forwarder = {
  abi: [
    {"inputs":[],"stateMutability":"payable","type":"constructor"},
  ],
  bytecode: '0x60806040523360581b7f730000000000000000000000000000000000000000331860375760603d604060176000527f203d82360380843d373d83353d355af16020523d9052f35b000000000000000060205260386000f3fe',
  deployedBytecode: '0x6080604052600080fd',
} as const
