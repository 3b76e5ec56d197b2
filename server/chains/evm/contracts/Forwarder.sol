// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// This contract is deployed at an order's deposit address. Every order pays for its bytes, so its 56 bytes are written by hand. It takes
/// coin from anybody, also within the 2,300 gas that a contract's `transfer` leaves, and makes the calls that its creator sends: target
/// (32 bytes), value (32), then the call's data. It answers with the first word of the returned data (which means nothing if less was
/// returned), whether the call succeeded, and the length of the returned data. More is never copied, so that a hostile target cannot
/// make us pay for a long answer.
///
///   00  73 factory  33 18       PUSH20 factory, CALLER, XOR
///   17  60 37 57                if another account calls, go to 37
///   1a  60 60 3d 60 40 60 20 3d the stack, from its top: 0, 32, 64, 0, 96
///   22  82 36 03                length = CALLDATASIZE - 64
///   25  80 84 3d 37             CALLDATACOPY(0, 64, length)
///   29  3d 83 35 3d 35 5a f1    CALL(GAS, target = CALLDATALOAD(0), value = CALLDATALOAD(32), 0, length, 0, 32)
///   30  60 20 52                MSTORE(32, success)
///   33  3d 90 52                MSTORE(64, RETURNDATASIZE)
///   36  f3                      RETURN(0, 96)
///   37  5b                      JUMPDEST, and the code ends: the call succeeds
contract Forwarder {
    constructor() payable {
        assembly {
            mstore(0, or(0x730000000000000000000000000000000000000000331860375760603d604060, shl(88, caller())))
            mstore(32, 0x203d82360380843d373d83353d355af16020523d9052f35b0000000000000000)
            return(0, 56)
        }
    }
}
