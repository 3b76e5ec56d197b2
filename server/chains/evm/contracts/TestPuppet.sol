// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tests use this account with code as an operator, a recipient, a collector and a token. Whoever calls it triggers the prepared call, and it answers
/// with true.
contract TestPuppet {
    address public target;
    bytes public data;
    uint256 public times;
    /// How many of the prepared calls have succeeded.
    uint256 public succeeded;

    constructor() payable {}

    function prepare(address target_, bytes calldata data_, uint256 times_) external {
        (target, data, times) = (target_, data_, times_);
    }

    function run(address target_, bytes calldata data_) external {
        (bool ok, bytes memory answer) = target_.call(data_);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
    }

    receive() external payable {
        _answer();
    }

    fallback() external payable {
        _answer();
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }

    function _answer() private {
        if (times == 0) return;
        times -= 1;
        (bool ok,) = target.call(data);
        if (ok) succeeded += 1;
    }
}
