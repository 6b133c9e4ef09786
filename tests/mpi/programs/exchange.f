C SPDX-License-Identifier: BSD-3-Clause
C What exchange.c does, with mpif.h.
      PROGRAM EXCHANGE
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER WIDTH, MOST
      PARAMETER (WIDTH = 3, MOST = 100000)
      DOUBLE PRECISION M(WIDTH, MOST)
      INTEGER ERR, RANK, COL, ROWS, I, BAD
      INTEGER STAT(MPI_STATUS_SIZE)
      BAD = 0
      CALL MPI_INIT(ERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, ERR)
      ROWS = 10
   10 CONTINUE
      CALL MPI_TYPE_VECTOR(ROWS, 1, WIDTH, MPI_DOUBLE_PRECISION, COL,
     &                     ERR)
      CALL MPI_TYPE_COMMIT(COL, ERR)
      DO 20 I = 1, ROWS
        M(1, I) = -1
        M(2, I) = 0
        M(3, I) = -1
        IF (RANK .EQ. 0) M(2, I) = I
   20 CONTINUE
      IF (RANK .EQ. 0) THEN
        CALL MPI_SEND(M(2, 1), 1, COL, 1, ROWS, MPI_COMM_WORLD, ERR)
      ELSE IF (RANK .EQ. 1) THEN
        CALL MPI_RECV(M(2, 1), 1, COL, 0, ROWS, MPI_COMM_WORLD, STAT,
     &                ERR)
        DO 30 I = 1, ROWS
          IF (M(1, I) .NE. -1) BAD = BAD + 1
          IF (M(2, I) .NE. I) BAD = BAD + 1
          IF (M(3, I) .NE. -1) BAD = BAD + 1
   30   CONTINUE
      END IF
      CALL MPI_TYPE_FREE(COL, ERR)
      ROWS = ROWS * 10
      IF (ROWS .LE. MOST) GOTO 10
      IF (RANK .LT. 2) PRINT *, 'rank', RANK, ':', BAD, 'mistakes'
      CALL MPI_FINALIZE(ERR)
      IF (BAD .NE. 0) STOP 1
      END
