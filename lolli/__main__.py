"""`python -m lolli` is the command `lolli`: alone it speaks UCI, otherwise `python -m lolli --help`."""

from protocol.entry import main

if __name__ == "__main__":
    main()
